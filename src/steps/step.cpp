// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "steps/step.h"

#include "base/error.h"

#include <type_traits>

namespace tenon {
namespace {

constexpr std::string_view kNames[] = {"Relu",
                                       "Sigmoid",
                                       "Tanh",
                                       "LeakyRelu",
                                       "Elu",
                                       "Selu",
                                       "Softsign",
                                       "Softplus",
                                       "Clip",
                                       "HardSigmoid",
                                       "ScaledTanh",
                                       "ThresholdedRelu",
                                       "GeluErf",
                                       "GeluTanh",
                                       "Celu",
                                       "Mish",
                                       "HardSwish",
                                       "Swish",
                                       "Exp",
                                       "Log",
                                       "Sqrt",
                                       "Recip",
                                       "Abs",
                                       "Neg",
                                       "Sin",
                                       "Cos",
                                       "Tan",
                                       "Sinh",
                                       "Cosh",
                                       "Asin",
                                       "Acos",
                                       "Atan",
                                       "Asinh",
                                       "Acosh",
                                       "Atanh",
                                       "Ceil",
                                       "Floor",
                                       "Erf",
                                       "Not",
                                       "Sign",
                                       "Round",
                                       "IsInf",
                                       "IsNan",
                                       "Affine",
                                       "Sum",
                                       "Prod",
                                       "Max",
                                       "Min",
                                       "Sub",
                                       "Div",
                                       "Pow",
                                       "FloorDiv",
                                       "And",
                                       "Or",
                                       "Xor",
                                       "Equal",
                                       "Greater",
                                       "Less",
                                       "ParametricRelu",
                                       "Mod",
                                       "Fmod",
                                       "BitAnd",
                                       "BitOr",
                                       "BitXor",
                                       "ShiftLeft",
                                       "ShiftRight"};
static_assert(std::size(kNames) == kPointwiseOps);

/// Calls step(a, b) for every step on the elements at one index; `values` holds the inputs and receives the results.
template <class Value> Value run(std::span<PointwiseStep const> steps, std::vector<Value>& values, size_t inputs) {
    for (size_t i = 0; i < steps.size(); ++i) {
        PointwiseStep const& step = steps[i];
        Value const b = step.b < 0 ? Value{} : values[static_cast<size_t>(step.b)];
        values[inputs + i] = compute(step, values[static_cast<size_t>(step.a)], b);
    }
    return values.back();
}

template <class X, class Y>
void sweep(std::span<PointwiseStep const> steps, std::span<HostTensor const> in, HostTensor const& out) {
    using Value = std::conditional_t<std::is_integral_v<X>, int64_t, float>;
    std::vector<Dims> strides;
    for (HostTensor const& x : in) strides.push_back(broadcastStrides(x.dims, out.dims));
    std::vector<Value> values(in.size() + steps.size());
    Dims index = Dims::filled(out.dims.rank(), 0);
    for (Y& y : out.as<Y>()) {
        for (size_t i = 0; i < in.size(); ++i) {
            int64_t offset = 0;
            for (int axis = 0; axis < index.rank(); ++axis) offset += index[axis] * strides[i][axis];
            values[i] = static_cast<Value>(static_cast<X const*>(in[i].data)[offset]);
        }
        y = static_cast<Y>(run(steps, values, in.size()));
        nextIndex(index, out.dims);
    }
}

} // namespace

std::span<std::string_view const> names(PointwiseOp) { return kNames; }

void computeSteps(std::span<PointwiseStep const> steps, std::span<HostTensor const> in, HostTensor const& out) {
    dispatch(in[0].type, [&]<class X>(TypeTag<X>) {
        if (out.type == DataType::Bool)
            sweep<X, bool>(steps, in, out);
        else
            sweep<X, X>(steps, in, out);
    });
}

void checkSteps(std::span<PointwiseStep const> steps, int inputs) {
    if (steps.empty()) fail(ErrorCode::InvalidArgument, "has no steps; expected at least one");
    for (size_t i = 0; i < steps.size(); ++i) {
        PointwiseStep const& step = steps[i];
        auto const known = inputs + static_cast<int64_t>(i);
        auto const there = [&](int64_t operand) { return operand >= 0 && operand < known; };
        if (givesBool(step.op))
            fail(ErrorCode::InvalidArgument, "step ", i, " is ", step.op, ", which does not give a number");
        bool const second = operandCount(step.op) == 2;
        if (!there(step.a) || (second ? !there(step.b) : step.b != -1))
            fail(ErrorCode::InvalidArgument, "step ", i, " (", step.op, ") has operands ", step.a, " and ", step.b,
                 "; expected ", second ? "two" : "one", " from 0 to ", known - 1, second ? "" : " and -1");
    }
}

} // namespace tenon
