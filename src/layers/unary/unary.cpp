// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unary/unary.h"

#include "base/error.h"
#include "steps/step_values.h"

namespace tenon {

namespace layers {
LayerEntry unaryLayer() { return entryOf<Unary>(); }
} // namespace layers

namespace {

bool takesIntegers(PointwiseOp op) {
    return op == PointwiseOp::Abs || op == PointwiseOp::Neg || op == PointwiseOp::Sign;
}

void expectType(PointwiseOp op, Operands const& in) {
    DataType const type = in[0].type;
    if (op == PointwiseOp::Not) {
        if (type != DataType::Bool) fail(ErrorCode::InvalidArgument, "input 0 is ", type, "; ", op, " expects bool");
    } else if (!takesIntegers(op) || !isInteger(type)) {
        in.expectFloat(0);
    }
}

} // namespace

// X [any] → Y [the same]
std::vector<Result> Unary::infer(Operands const& in) const {
    in.expectCount(1, 1);
    if (!isUnary(operation)) fail(ErrorCode::InvalidArgument, operation, " is not an operation on one operand");
    expectType(operation, in);
    DataType const type = givesBool(operation) ? DataType::Bool : in[0].type;
    if (isFloat(in[0].type)) return {{type, in[0].shape}};
    return {{type, in[0].shape, stepValues(step(), in, in[0].shape)}};
}

void Unary::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    PointwiseStep const one = step();
    computeSteps({&one, 1}, in, out[0]);
}

} // namespace tenon
