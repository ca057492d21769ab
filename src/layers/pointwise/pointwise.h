// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"
#include "layers/pointwise/pointwise_op.h"

namespace tenon {

std::span<std::string_view const> names(PointwiseOp);
inline void append(std::string& to, PointwiseOp op) { to += names(op)[static_cast<size_t>(op)]; }

/// One step of a chain. An operand below the number of the layer's inputs is that input; that number + i is the result
/// of step i.
struct PointwiseStep {
    PointwiseOp op = PointwiseOp::Relu;
    int64_t a = 0;
    int64_t b = -1; // -1: the operation has no such operand
    double alpha = 0;
    double beta = 0;

    void fields(Fields& f) {
        f("op", op);
        f("a", a);
        f("b", b);
        f("alpha", alpha);
        f("beta", beta);
    }
};

/// One step on single numbers, exact but for one rounding: the reference for everything that computes steps. Integers
/// wrap around; what is divided by zero gives zero. An operation that integers do not have is an Error.
float compute(PointwiseStep const& step, float a, float b = 0);
int64_t compute(PointwiseStep const& step, int64_t a, int64_t b = 0);

/// The steps on whole tensors, floating point (in float) or integer and boolean (in int64): X… [any] → Y [broadcast].
void computeSteps(std::span<PointwiseStep const> steps, std::span<HostTensor const> in, HostTensor const& out);

/// Steps read inputs and results of earlier steps only and give numbers, not booleans; an Error says which does not.
void checkSteps(std::span<PointwiseStep const> steps, int inputs);

/// A chain of elementwise operations on floating point numbers, computed in one sweep over memory; the last step is the
/// result. Made by passes, without a class in the public API. X… [any] → Y [broadcast of all].
/// Convolution, Deconvolution and MatrixMultiply take the same steps as an epilogue: there operand 0 is what they have
/// computed, and operands 1… are inputs that follow their own.
struct Pointwise final : LayerOf<Pointwise> {
    static constexpr std::string_view kKind = "Pointwise";

    std::vector<PointwiseStep> steps;

    void fields(Fields& f) override { f("steps", steps); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
