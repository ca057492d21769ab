// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step_program.h"

namespace tenon {

/// A function of two arguments, element by element, of one type: any with arithmetic, but booleans for And, Or and Xor
/// (and Equal), and integers for bitwise operations. The result of Equal, Greater and Less is boolean. A [any], B [any]
/// → Y [broadcast as in numpy].
struct Elementwise final : LayerOf<Elementwise>, OneStep {
    static constexpr std::string_view kKind = "Elementwise";

    PointwiseOp operation = PointwiseOp::Sum; // one for which isElementwise() is true

    PointwiseStep step() const override { return {operation, 0, 1}; }

    void fields(Fields& f) override { f("operation", operation); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

inline Elementwise elementwise(PointwiseOp operation) {
    Elementwise layer;
    layer.operation = operation;
    return layer;
}

/// A constant scalar operand of this type; throws an Error for types without arithmetic.
Literal scalarOf(DataType type, float value);

} // namespace tenon
