// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/elementwise/elementwise.h"

#include "base/error.h"
#include "steps/step_values.h"

namespace tenon {

namespace layers {
LayerEntry elementwiseLayer() { return entryOf<Elementwise>(); }
} // namespace layers

namespace {

bool isLogical(PointwiseOp op) { return op == PointwiseOp::And || op == PointwiseOp::Or || op == PointwiseOp::Xor; }

void expectType(PointwiseOp op, Operands const& in) {
    in.expectSameType(0, 1);
    DataType const type = in[0].type;
    if (type != DataType::Bool) in.expectNumbers(0);
    if (isOfBits(op) && !isInteger(type))
        fail(ErrorCode::InvalidArgument, op, " of ", type, "; expected integers (add a cast)");
    bool const fits = type == DataType::Bool ? isLogical(op) || op == PointwiseOp::Equal : !isLogical(op);
    if (!fits)
        fail(ErrorCode::InvalidArgument, op, " of ", type, "; expected ",
             isLogical(op) ? "bool" : "numbers (add a cast)");
}

} // namespace

Literal scalarOf(DataType type, float value) {
    return dispatch(type, [&]<class T>(TypeTag<T>) { return Literal::scalar(static_cast<T>(value)); });
}

// A [any], B [any] → Y [broadcast]
std::vector<Result> Elementwise::infer(Operands const& in) const {
    in.expectCount(2, 2);
    if (!isElementwise(operation)) fail(ErrorCode::InvalidArgument, operation, " is not an operation on two operands");
    expectType(operation, in);
    Shape const shape = broadcast(in[0].shape, in[1].shape);
    DataType const type = givesBool(operation) ? DataType::Bool : in[0].type;
    if (isFloat(in[0].type)) return {{type, shape}};
    return {{type, shape, stepValues(step(), in, shape)}};
}

void Elementwise::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    PointwiseStep const one = step();
    computeSteps({&one, 1}, in, out[0]);
}

} // namespace tenon
