// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/epilogue.cuh"
#include "backends/cuda/launch.h"
#include "layers/convolution/epilogue.h"

namespace tenon::cuda {
namespace {

/// Y [any] → Y, `lanes` elements a thread.
template <class T, int lanes>
__global__ void sweepEpilogue(T* y, int64_t count, __grid_constant__ EpilogueProgram const program) {
    forEachElement(count / lanes, [&](int64_t i) {
        auto* const at = reinterpret_cast<Pack<T, lanes>*>(y) + i;
        auto pack = *at;
        float x[lanes];
#pragma unroll
        for (int v = 0; v < lanes; ++v) x[v] = toFloat(pack.at[v]);
        applyEpilogue<T>(program, static_cast<uint32_t>(i * lanes), x);
#pragma unroll
        for (int v = 0; v < lanes; ++v) pack.at[v] = convertTo<T>(x[v]);
        *at = pack;
    });
}

int extrasOf(Node const& node) { return std::max(0, static_cast<int>(node.inputs().size()) - kEpilogueFirstExtra); }

/// [N,C,…] in the order in which a format has the axes in memory; channels padded.
Dims inMemoryOrder(Dims const& dims, Format const& format) {
    if (!format.channelsLast) return dims;
    Dims order{dims[0]};
    for (int axis = 2; axis < dims.rank(); ++axis) order.push(dims[axis]);
    order.push((dims[1] + format.block - 1) / format.block * format.block);
    return order;
}

/// The same of strides, which know no padding.
Dims stridesInMemoryOrder(Dims const& strides, Format const& format) {
    return inMemoryOrder(strides, {format.channelsLast, format.axis, 1});
}

} // namespace

Epilogue::Epilogue(PrepareArgs const& args, std::span<PointwiseStep const> steps, size_t done, bool withBias)
    : type_(args.variant.outputs[0].type), count_(paddedVolume(args.outputs[0], args.variant.outputs[0].format)) {
    Format const& format = args.variant.outputs[0].format;
    int64_t const channels = args.outputs[0][1];
    program_.channelsLast = format.channelsLast;
    program_.channels = static_cast<uint32_t>(channels);
    program_.paddedChannels =
        Divider(static_cast<uint32_t>((channels + format.block - 1) / format.block * format.block));
    if (withBias) add({PointwiseOp::Sum}, kEpilogueBias, args);
    for (size_t i = done; i < steps.size(); ++i) {
        auto const operand = otherOperand(steps, i, extrasOf(args.node));
        if (!operand) fail(ErrorCode::Internal, args.node, ": its epilogue is no chain");
        add(steps[i], *operand == 0 ? -1 : kEpilogueFirstExtra + *operand - 1, args);
    }
}

void Epilogue::add(PointwiseStep const& step, int64_t input, PrepareArgs const& args) {
    EpilogueStep& made = program_.steps[static_cast<size_t>(program_.stepCount++)];
    made = {step.op, -1, static_cast<float>(step.alpha), static_cast<float>(step.beta)};
    if (input < 0) return;
    made.operand = static_cast<int8_t>(operandCount_);
    inputs_[static_cast<size_t>(operandCount_)] = static_cast<int>(input);
    EpilogueOperand& operand = program_.operands[static_cast<size_t>(operandCount_++)];
    Dims const& result = args.outputs[0];
    Dims dims = args.inputs[static_cast<size_t>(input)];
    bool const isBias = input == kEpilogueBias;
    if (!isBias && dims == result) return; // OperandPlace::Same
    Dims perChannel = Dims::filled(result.rank() - 1, 1);
    perChannel[0] = result[1];
    if (isBias) dims = perChannel;
    Format const& format = args.variant.outputs[0].format;
    if (format.channelsLast && dims == perChannel) {
        operand.place = OperandPlace::PerChannel;
        return;
    }
    operand.place = OperandPlace::Strided;
    Dims const strides = stridesInMemoryOrder(broadcastStrides(dims, result), format);
    operand.where = Indexer<1>(inMemoryOrder(result, format), {strides});
}

EpilogueProgram Epilogue::program(Pointers const& pointers, void const* bias) const {
    EpilogueProgram ready = program_;
    for (int i = 0; i < operandCount_; ++i) {
        int const input = inputs_[static_cast<size_t>(i)];
        ready.operands[static_cast<size_t>(i)].data = input == kEpilogueBias ? bias : pointers.inputs[input];
    }
    return ready;
}

void Epilogue::launch(Pointers const& pointers, void const* bias) const {
    if (isEmpty() || count_ == 0) return;
    EpilogueProgram const ready = program(pointers, bias);
    cudaStream_t const stream = streamOf(pointers.stream);
    dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
        constexpr int kLanes = 16 / sizeof(T);
        auto* const y = static_cast<T*>(pointers.outputs[0]);
        bool const wide = count_ % kLanes == 0 && (!ready.channelsLast || ready.paddedChannels.divisor() % kLanes == 0);
        if (wide)
            sweepEpilogue<T, kLanes><<<blocksFor(count_ / kLanes), kThreads, 0, stream>>>(y, count_, ready);
        else
            sweepEpilogue<T, 1><<<blocksFor(count_), kThreads, 0, stream>>>(y, count_, ready);
    });
    checkLaunch("epilogue");
}

Label epilogueLabel(Dims const& operand, Dims const& result, Label const& label) {
    return operand == result ? label : Label{label.type, Format::linear(), label.device};
}

std::string epilogueRefusal(Node const& node, std::span<PointwiseStep const> steps) {
    constexpr size_t kForABias = 1;
    if (steps.size() + kForABias > EpilogueProgram::kMostSteps)
        return text("takes epilogues of ", EpilogueProgram::kMostSteps - kForABias, " steps at most");
    int operands = 0;
    for (size_t i = 0; i < steps.size(); ++i) {
        auto const operand = otherOperand(steps, i, extrasOf(node));
        if (!operand) return "takes epilogues in which each step follows from the one before";
        operands += *operand == 0 ? 0 : 1;
    }
    if (operands + static_cast<int>(kForABias) > EpilogueProgram::kMostOperands)
        return text("takes epilogues with ", EpilogueProgram::kMostOperands - 1, " operands at most");
    return {};
}

} // namespace tenon::cuda
