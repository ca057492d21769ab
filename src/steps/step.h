// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"
#include "steps/pointwise_op.h"

namespace tenon {

std::span<std::string_view const> names(PointwiseOp);
inline void append(std::string& to, PointwiseOp op) { to += names(op)[static_cast<size_t>(op)]; }

/// One elementwise operation of several that are computed together. An operand below the number of the inputs is that
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

/// One step on single numbers, exact but for one rounding: the reference for everything that computes steps. Integers
/// wrap around; what is divided by zero gives zero. An operation that integers do not have is an Error.
float compute(PointwiseStep const& step, float a, float b = 0);
int64_t compute(PointwiseStep const& step, int64_t a, int64_t b = 0);

/// The steps on whole tensors, floating point (in float) or integer and boolean (in int64): X… [any] → Y [broadcast].
void computeSteps(std::span<PointwiseStep const> steps, std::span<HostTensor const> in, HostTensor const& out);

/// Steps read inputs and results of earlier steps only and give numbers, not booleans; an Error says which does not.
void checkSteps(std::span<PointwiseStep const> steps, int inputs);

} // namespace tenon
