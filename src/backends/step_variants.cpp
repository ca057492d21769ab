// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/step_variants.h"

#include <algorithm>

namespace tenon {

void StepVariants::add(DataType type, Format const& format, std::vector<Variant>& to) const {
    auto const label = [&](Tensor const&) { return Label{type, format, rules_.device}; };
    add(label, label, format, to);
}

void StepVariants::addIntegers(DataType type, Format const& format, std::vector<Variant>& to) const {
    auto const real = [&](Tensor const&) { return Label{type, format, rules_.device}; };
    auto const whole = [&](Tensor const& tensor) {
        return query_.mayBeInt8(tensor) ? rules_.integers(tensor, format) : real(tensor);
    };
    Node const& node = query_.node;
    bool const reads = std::ranges::any_of(node.inputs(), [&](Tensor* x) { return x && query_.mayBeInt8(*x); });
    bool const writes = query_.mayBeInt8(*node.output());
    if (reads) add(whole, real, format, to);
    if (writes) add(real, whole, format, to);
    if (reads && writes) add(whole, whole, format, to);
}

void StepVariants::add(LabelOf const& ofInput, LabelOf const& ofOutput, Format const& format,
                       std::vector<Variant>& to) const {
    Dims const& result = query_.outputs[0];
    Variant variant{.inputs = {}, .outputs = {ofOutput(*query_.node.output())}};
    auto bytes = static_cast<double>(bytesOf(result, variant.outputs[0]));
    for (size_t i = 0; i < query_.inputs.size(); ++i) {
        Dims const& dims = query_.inputs[i];
        bool const isSingle = query_.isSingle(i);
        if (!format.isLinear() && !isSingle && dims.rank() != result.rank()) return;
        variant.inputs.push_back(ofInput(*query_.node.inputs()[i]));
        if (isSingle) variant.inputs.back().format = Format::linear();
        bytes += static_cast<double>(bytesOf(dims, variant.inputs.back()));
    }
    auto const isSame = [&](Variant const& other) {
        return other.inputs == variant.inputs && other.outputs == variant.outputs;
    };
    if (std::ranges::any_of(to, isSame)) return; // all are integers, whatever the type of the others
    variant.cost = rules_.cost(bytes, static_cast<double>(paddedVolume(result, format)));
    to.push_back(std::move(variant));
}

} // namespace tenon
