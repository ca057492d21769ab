// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step_program.h"

namespace tenon {

/// A function of one argument on every element: floating point; Abs, Neg and Sign also for integers; Not for booleans.
/// X [any] → Y [the same], boolean for IsInf and IsNan.
struct Unary final : LayerOf<Unary>, OneStep {
    static constexpr std::string_view kKind = "Unary";

    PointwiseOp operation = PointwiseOp::Exp; // one for which isUnary() is true

    PointwiseStep step() const override { return {operation, 0, -1}; }

    void fields(Fields& f) override { f("operation", operation); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
