// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"
#include "steps/pointwise_op.h"

namespace tenon {

std::span<std::string_view const> names(PointwiseOp);
inline void append(std::string& to, PointwiseOp op) { to += names(op)[static_cast<size_t>(op)]; }

/// One of several elementwise operations that are computed together. An operand below the number of inputs is that
/// input; that number + i is the result of step i.
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

/// Computes one step on scalars with a single rounding: the reference for all implementations of steps. Integers wrap
/// around; division by zero gives zero. Throws an Error for an operation that is not defined for integers.
float compute(PointwiseStep const& step, float a, float b = 0);
int64_t compute(PointwiseStep const& step, int64_t a, int64_t b = 0);

/// Computes steps on whole tensors, floating point (in float) or integer and boolean (in int64): X… [any] → Y
/// [broadcast].
void computeSteps(std::span<PointwiseStep const> steps, std::span<HostTensor const> in, HostTensor const& out);

/// Checks that steps read only inputs and results of earlier steps and produce numbers, not booleans; throws an Error
/// otherwise.
void checkSteps(std::span<PointwiseStep const> steps, int inputs);

} // namespace tenon
