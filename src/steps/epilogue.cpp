// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "steps/epilogue.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {

namespace {

void checkStep(EpilogueStep const& step, Operands const& in, int firstExtra, size_t number) {
    if (givesBool(step.op))
        fail(ErrorCode::InvalidArgument, "step ", number, " of the epilogue is ", step.op,
             ", which does not give a number");
    bool const reads = operandCount(step.op) == 2;
    bool const isThere = step.input >= firstExtra && step.input < in.count();
    if (reads ? !isThere : step.input != -1)
        fail(ErrorCode::InvalidArgument, "step ", number, " of the epilogue (", step.op, ") reads input ", step.input,
             "; expected ", reads ? text(firstExtra, " to ", in.count() - 1) : text("-1, none"));
}

void checkOperand(Operands const& in, int input, Shape const& result) {
    if (!in.has(input)) fail(ErrorCode::InvalidArgument, "input ", input, " is missing");
    in.expectSameType(0, input);
    Shape const both = broadcast(result, in[input].shape);
    for (size_t axis = 0; axis < both.size(); ++axis) {
        bool const grows = both.size() != result.size() || (result[axis].isConstant() && both[axis] != result[axis]);
        if (grows)
            fail(ErrorCode::InvalidArgument, "input ", input, " ", in[input].shape,
                 " does not broadcast to the result ", result);
    }
}

PointwiseStep onValues(EpilogueStep const& step, int64_t a, int64_t b) {
    return {step.op, a, b, step.alpha, step.beta};
}

} // namespace

HasEpilogue* hasEpilogue(Layer& layer) { return dynamic_cast<HasEpilogue*>(&layer); }

void checkEpilogue(std::span<EpilogueStep const> steps, Operands const& in, int firstExtra, Shape const& result) {
    if (steps.size() > kMostEpilogueSteps)
        fail(ErrorCode::InvalidArgument, "has an epilogue of ", steps.size(), " steps; expected at most ",
             kMostEpilogueSteps);
    for (size_t i = 0; i < steps.size(); ++i) checkStep(steps[i], in, firstExtra, i);
    for (int i = firstExtra; i < in.count(); ++i) {
        if (std::ranges::find(steps, i, &EpilogueStep::input) == steps.end())
            fail(ErrorCode::InvalidArgument, "has ", in.count(), " inputs; expected at most ", i,
                 ", as no step of its epilogue reads input ", i);
        checkOperand(in, i, result);
    }
    auto const reading = std::ranges::count_if(steps, [](EpilogueStep const& step) { return step.input >= 0; });
    if (reading > static_cast<int64_t>(kMostEpilogueInputs))
        fail(ErrorCode::InvalidArgument, "has an epilogue that reads ", reading, " inputs; expected at most ",
             kMostEpilogueInputs);
}

StepProgram programOf(std::span<EpilogueStep const> steps, std::span<Dims const> inputs, Dims const& result) {
    StepProgram program{{}, {0}, {result}};
    for (EpilogueStep const& step : steps) {
        if (step.input < 0) continue;
        program.inputs.push_back(static_cast<int>(step.input));
        program.dims.push_back(inputs[static_cast<size_t>(step.input)]);
    }
    auto const operands = static_cast<int64_t>(program.inputs.size());
    int64_t next = 1;
    for (EpilogueStep const& step : steps) {
        int64_t const x = program.steps.empty() ? 0 : operands + static_cast<int64_t>(program.steps.size()) - 1;
        program.steps.push_back(onValues(step, x, step.input < 0 ? -1 : next++));
    }
    return program;
}

void applyEpilogue(std::span<EpilogueStep const> steps, std::span<HostTensor const> in, HostTensor const& y) {
    if (steps.empty()) return;
    std::vector<Dims> dims;
    for (HostTensor const& tensor : in) dims.push_back(tensor.dims);
    StepProgram const program = programOf(steps, dims, y.dims);
    std::vector<HostTensor> operands{y};
    for (size_t i = 1; i < program.inputs.size(); ++i) {
        HostTensor const& operand = in[static_cast<size_t>(program.inputs[i])];
        operands.push_back({operand.type, program.dims[i], operand.data});
    }
    computeSteps(program.steps, operands, y);
}

void finish(std::vector<float>& result, std::span<EpilogueStep const> steps, std::span<HostTensor const> in,
            HostTensor const& out) {
    std::vector<std::vector<float>> values(in.size());
    std::vector<HostTensor> floats;
    for (EpilogueStep const& step : steps) {
        if (step.input >= 0) values[static_cast<size_t>(step.input)] = toFloats(in[static_cast<size_t>(step.input)]);
    }
    for (size_t i = 0; i < in.size(); ++i) floats.push_back({DataType::Float32, in[i].dims, values[i].data()});
    applyEpilogue(steps, floats, {DataType::Float32, out.dims, result.data()});
    dispatch(out.type, [&]<class T>(TypeTag<T>) { std::ranges::copy(result, out.as<T>().begin()); });
}

std::optional<Epilogue> chainFrom(int64_t start, std::span<PointwiseStep const> steps, int64_t inputs) {
    Epilogue chain;
    auto const isOther = [&](int64_t operand) { return operand >= 0 && operand < inputs && operand != start; };
    for (PointwiseStep const& step : steps) {
        int64_t const x = chain.empty() ? start : inputs + static_cast<int64_t>(chain.size()) - 1;
        bool const commutes = step.op == PointwiseOp::Sum || step.op == PointwiseOp::Prod ||
                              step.op == PointwiseOp::Max || step.op == PointwiseOp::Min;
        if (step.a == x && (step.b < 0 || isOther(step.b)))
            chain.push_back({step.op, step.b, step.alpha, step.beta});
        else if (commutes && step.b == x && isOther(step.a))
            chain.push_back({step.op, step.a, step.alpha, step.beta});
        else
            return std::nullopt;
    }
    return chain;
}

bool fitsEpilogue(EpilogueStep const& step) {
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

Label operandLabel(Node const& node, size_t input, Label const& result) {
    Tensor const* const operand = node.inputs()[input];
    bool const isLike = operand != nullptr && operand->shape == node.output()->shape;
    return isLike ? result : Label{result.type, Format::linear(), result.device};
}

bool keepsZero(EpilogueStep const& step) {
    return compute(onValues(step, 0, step.input < 0 ? -1 : 1), 0.0F, 0.0F) == 0;
}

std::vector<float> toFloats(HostTensor const& tensor) {
    if (tensor.data == nullptr) return {};
    return dispatch(tensor.type, [&]<class T>(TypeTag<T>) {
        std::span<T> const values = tensor.as<T>();
        return std::vector<float>(values.begin(), values.end());
    });
}

} // namespace tenon
