// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step_program.h"

namespace tenon {

/// Applies an activation function to every element. Floating point; Relu and Clip also for integers. X [any] → Y [the
/// same].
struct Activation final : LayerOf<Activation>, OneStep {
    static constexpr std::string_view kKind = "Activation";

    PointwiseOp operation = PointwiseOp::Relu; // one for which isActivation() is true
    double alpha = 0;
    double beta = 0;

    PointwiseStep step() const override { return {operation, 0, -1, alpha, beta}; }

    void fields(Fields& f) override {
        f("operation", operation);
        f("alpha", alpha);
        f("beta", beta);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
