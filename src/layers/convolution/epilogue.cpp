// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/epilogue.h"

#include "base/error.h"

namespace tenon {

void checkEpilogue(std::span<PointwiseStep const> steps, Operands const& in, int firstExtra, Shape const& result) {
    int const extras = std::max(0, in.count() - firstExtra);
    if (steps.empty()) {
        if (extras != 0) fail(ErrorCode::InvalidArgument, "has ", in.count(), " inputs; expected at most ", firstExtra);
        return;
    }
    checkSteps(steps, extras + 1);
    for (int i = firstExtra; i < in.count(); ++i) {
        if (!in.has(i)) fail(ErrorCode::InvalidArgument, "input ", i, " is missing");
        in.expectSameType(0, i);
        Shape const both = broadcast(result, in[i].shape);
        for (size_t axis = 0; axis < both.size(); ++axis) {
            bool const grows =
                both.size() != result.size() || (result[axis].isConstant() && both[axis] != result[axis]);
            if (grows)
                fail(ErrorCode::InvalidArgument, "input ", i, " ", in[i].shape, " does not broadcast to the result ",
                     result);
        }
    }
}

void finish(std::vector<float>& result, std::span<PointwiseStep const> steps, std::span<HostTensor const> extras,
            HostTensor const& out) {
    std::vector<std::vector<float>> values;
    std::vector<HostTensor> operands{{DataType::Float32, out.dims, result.data()}};
    for (HostTensor const& extra : extras) values.push_back(toFloats(extra));
    for (size_t i = 0; i < extras.size(); ++i)
        operands.push_back({DataType::Float32, extras[i].dims, values[i].data()});
    if (!steps.empty()) {
        std::vector<float> finished(result.size());
        computeSteps(steps, operands, {DataType::Float32, out.dims, finished.data()});
        result.swap(finished);
    }
    dispatch(out.type, [&]<class T>(TypeTag<T>) { std::ranges::copy(result, out.as<T>().begin()); });
}

std::optional<int64_t> otherOperand(std::span<PointwiseStep const> steps, size_t index, int extras) {
    PointwiseStep const& step = steps[index];
    int64_t const running = index == 0 ? 0 : extras + static_cast<int64_t>(index); // extras + 1 inputs in all
    if (operandCount(step.op) == 1) return step.a == running ? std::optional<int64_t>(0) : std::nullopt;
    bool const commutes = step.op == PointwiseOp::Sum || step.op == PointwiseOp::Prod || step.op == PointwiseOp::Max ||
                          step.op == PointwiseOp::Min;
    auto const isExtra = [&](int64_t operand) { return operand >= 1 && operand <= extras; };
    if (step.a == running && isExtra(step.b)) return step.b;
    if (commutes && step.b == running && isExtra(step.a)) return step.a;
    return std::nullopt;
}

bool fitsEpilogue(PointwiseStep const& step) {
    using enum PointwiseOp;
    switch (step.op) {
    case Relu:
    case Sigmoid:
    case Tanh:
    case LeakyRelu:
    case Elu:
    case Clip:
    case HardSigmoid:
    case ScaledTanh:
    case GeluErf:
    case GeluTanh:
    case Mish:
    case HardSwish:
    case Swish:
    case Exp:
    case Abs:
    case Sqrt:
    case Neg:
    case Affine:
    case Sum:
    case Prod:
    case Max:
    case Min:
    case Sub:
    case Div: return true;
    case Softplus: return step.alpha == 1 && step.beta == 1;
    default: return false;
    }
}

std::vector<float> toFloats(HostTensor const& tensor) {
    if (tensor.data == nullptr) return {};
    return dispatch(tensor.type, [&]<class T>(TypeTag<T>) {
        std::span<T> const values = tensor.as<T>();
        return std::vector<float>(values.begin(), values.end());
    });
}

} // namespace tenon
