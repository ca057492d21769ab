// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plugin/plugin.h"

#include "base/error.h"

#include <algorithm>
#include <array>
#include <functional>

namespace tenon {
namespace {

struct Row {
    std::string_view name;
    int bits;
};

constexpr std::array<Row, 13> kRows{{{"float16", 16},
                                     {"float32", 32},
                                     {"float64", 64},
                                     {"int8", 8},
                                     {"int16", 16},
                                     {"int32", 32},
                                     {"char", 8},
                                     {"dims", 72 * 8},
                                     {"bfloat16", 16},
                                     {"int64", 64},
                                     {"float8", 8},
                                     {"int4", 4},
                                     {"unknown", 0}}};

constexpr auto kNames = [] {
    std::array<std::string_view, kRows.size()> all;
    for (size_t i = 0; i < all.size(); ++i) all[i] = kRows[i].name;
    return all;
}();

/// Shapes of all inputs, and of all outputs, with these extents.
std::string shapesOf(PortRanges const& io, std::span<int64_t const> extents) {
    std::string all;
    for (auto const* ports : {&io.inputs, &io.outputs}) {
        all += ports == &io.inputs ? "inputs" : ", outputs";
        for (PortRange const& port : *ports) {
            auto const rank = static_cast<size_t>(port.max.rank());
            all += text(' ', Dims(extents.first(rank)));
            extents = extents.subspan(rank);
        }
    }
    return all;
}

} // namespace

void append(std::string& to, PluginName const& name) {
    bool const isNameAll = name.version.empty() && name.nameSpace.empty();
    if (isNameAll) return append(to, text("plugin ", name.name));
    to += text("plugin ", name.name, ", version ", name.version, ", namespace \"", name.nameSpace, '"');
}

size_t bytesOf(PluginValue::Type type, int64_t length) {
    return (static_cast<size_t>(length) * static_cast<size_t>(kRows[static_cast<size_t>(type)].bits) + 7) / 8;
}

std::span<std::string_view const> names(PluginValue::Type) { return kNames; }

void PluginBuilt::fields(Fields& f) {
    f("shape_inputs", shapeInputs);
    f("tactic", tactic);
    f("workspace", workspace);
    f("aliases", aliases);
    f("refits", refits);
    f("batch_input", batchInput);
    f("implicit_batch", implicitBatch);
    f("repeated", repeated);
    if (f.visits("largest", !largest.empty())) f("largest", largest);
}

std::vector<int64_t> largestExtents(PortRanges const& ranges) {
    std::vector<int64_t> extents;
    for (auto const* ports : {&ranges.inputs, &ranges.outputs}) {
        for (PortRange const& port : *ports) extents.insert(extents.end(), port.max.begin(), port.max.end());
    }
    return extents;
}

size_t PluginBuilt::workspaceFor(PortRanges const& io) const {
    auto const extents = largestExtents(io);
    if (extents.empty() || largest.empty()) return static_cast<size_t>(workspace);
    std::string bounds;
    for (size_t first = 0; first + extents.size() <= largest.size(); first += extents.size()) {
        std::span<int64_t const> const most = std::span(largest).subspan(first, extents.size());
        if (std::ranges::equal(extents, most, std::less_equal())) return static_cast<size_t>(workspace);
        bounds += text(bounds.empty() ? "" : ", or ", shapesOf(io, most));
    }
    fail(ErrorCode::Plugin, "runs with ", shapesOf(io, extents), "; the engine holds ", workspace,
         " bytes of workspace for it, which getWorkspaceSize asked for at most ", bounds,
         ": build the engine with a profile whose points reach these shapes");
}

void PluginValue::fields(Fields& f) {
    f("name", name);
    f("type", type);
    f("length", length);
    Literal data = Literal::copyOf(DataType::UInt8, {static_cast<int64_t>(bytes.size())}, bytes.data());
    f("data", data);
    auto const* first = static_cast<std::byte const*>(data.data());
    bytes.assign(first, first + data.bytes());
}

} // namespace tenon
