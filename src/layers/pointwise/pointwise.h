// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step_program.h"

namespace tenon {

/// Elementwise floating point operations, computed in one pass over memory; the last step is the result. Made by
/// passes, without a class in the public API. X… [any] → Y [broadcast of all].
struct Pointwise final : LayerOf<Pointwise>, Stepwise {
    static constexpr std::string_view kKind = "Pointwise";

    std::vector<PointwiseStep> steps;

    void fields(Fields& f) override { f("steps", steps); }
    StepProgram program(Node const&, std::span<Dims const> inputs) const override { return programOf(steps, inputs); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
