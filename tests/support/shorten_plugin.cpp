// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "support/shorten_plugin.h"

#include "base/text.h"
#include "plugin/plugin_devices.h"

#include <algorithm>
#include <cstring>

namespace tenon::test {

ShortenPlugin::ShortenPlugin(std::vector<Axis> axes) : axes_(std::move(axes)) {
    declareDevices(name_, {.cpu = true, .cuda = false});
}

OutputRules ShortenPlugin::outputs(Operands const& in) {
    outputs_ = in.count();
    int64_t const number = outputs_ - 1;
    auto const& [input, axis] = axes_.front();
    DimExpr const most = in[static_cast<int>(input)].shape[static_cast<size_t>(axis)];
    SizeTensor const size{text("size.", number), number, most, most};
    OutputRules rules{{}, {size}};
    for (int i = 1; i < in.count(); ++i) rules.outputs.push_back({in[i].type, in[i].shape});
    for (auto const& [shortened, at] : axes_) rules.outputs[shortened - 1].shape[static_cast<size_t>(at)] = size.dim();
    rules.outputs.push_back({DataType::Int64, {}});
    return rules;
}

std::vector<Variant> ShortenPlugin::variants(PortRanges const& io, std::vector<std::vector<Label>> const& offered,
                                             std::string&) {
    Variant variant;
    for (size_t i = 0; i < io.inputs.size(); ++i) variant.inputs.push_back(offered[i][0]);
    for (size_t i = 0; i < io.outputs.size(); ++i) variant.outputs.push_back(offered[io.inputs.size() + i][0]);
    return {variant};
}

void ShortenPlugin::enqueue(Pointers const& pointers) {
    auto const& [input, axis] = axes_.front();
    int64_t const whole = *static_cast<int64_t const*>(pointers.inputs[0]);
    size_t const last = io_.outputs.size() - 1;
    for (size_t i = 1; i <= last; ++i) {
        bool const isShort = std::ranges::any_of(axes_, [&](Axis const& one) { return one.first == i; });
        size_t const bytes = bytesOf(io_.inputs[i].dims, io_.inputs[i].label);
        if (whole != 0 || !isShort) std::memcpy(pointers.outputs[i - 1], pointers.inputs[i], bytes);
    }
    *static_cast<int64_t*>(pointers.outputs[last]) = whole * io_.inputs[input].dims[axis];
}

} // namespace tenon::test
