// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "steps/step_program.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {

bool StepProgram::readsAsTheyAre(std::span<Dims const> dimsOfInputs) const {
    for (size_t i = 0; i < inputs.size(); ++i) {
        if (!(dims[i] == dimsOfInputs[static_cast<size_t>(inputs[i])])) return false;
    }
    return true;
}

bool StepProgram::hasBool() const {
    return std::ranges::any_of(steps, [](PointwiseStep const& step) { return givesBool(step.op); });
}

StepProgram programOf(std::vector<PointwiseStep> steps, std::span<Dims const> inputs) {
    StepProgram program{std::move(steps), {}, {inputs.begin(), inputs.end()}};
    for (size_t i = 0; i < inputs.size(); ++i) program.inputs.push_back(static_cast<int>(i));
    return program;
}

StepProgram OneStep::program(Node const&, std::span<Dims const> inputs) const { return programOf({step()}, inputs); }

StepProgram programOf(Node const& node, std::span<Dims const> inputs) {
    auto const* layer = dynamic_cast<Stepwise const*>(node.layer.get());
    if (layer == nullptr) fail(ErrorCode::Internal, node, ": is not a layer of steps");
    return layer->program(node, inputs);
}

std::optional<PointwiseStep> oneStepOf(Layer const& layer) {
    auto const* one = dynamic_cast<OneStep const*>(&layer);
    return one ? std::optional(one->step()) : std::nullopt;
}

} // namespace tenon
