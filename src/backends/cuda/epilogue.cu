// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/epilogue.cuh"
#include "backends/cuda/launch.h"

#include "base/error.h"

namespace tenon::cuda {
namespace {

/// Y [any] → Y, `lanes` elements per thread.
template <class T, int lanes>
__global__ void sweepEpilogue(T* y, int64_t count, __grid_constant__ EpilogueProgram const program) {
    forEachElement(count / lanes, [&](int64_t i) {
        auto* const at = reinterpret_cast<Pack<T, lanes>*>(y) + i;
        auto pack = *at;
        float x[lanes];
#pragma unroll
        for (int v = 0; v < lanes; ++v) x[v] = toFloat(pack.at[v]);
        applyEpilogue<T>(program, i * lanes, x);
#pragma unroll
        for (int v = 0; v < lanes; ++v) pack.at[v] = convertTo<T>(x[v]);
        *at = pack;
    });
}

constexpr int64_t kSmall = int64_t{1} << 31; // elements
constexpr std::string_view kTooLarge = " of an epilogue whose result has 2^31 elements or more; expected the "
                                       "result's shape, one value per column, or one value";

/// Whether the address is aligned for packs.
bool isAligned(void const* address) { return reinterpret_cast<uintptr_t>(address) % 16 == 0; }

int64_t paddedTo(int64_t extent, int64_t block) { return (extent + block - 1) / block * block; }

/// Extents or strides of [N,C,…] in the memory order of a format.
Dims inMemoryOrder(Dims const& dims, Format const& format) {
    if (!format.channelsLast) return dims;
    Dims order{dims[0]};
    for (int axis = 2; axis < dims.rank(); ++axis) order.push(dims[axis]);
    order.push(dims[1]);
    return order;
}

/// Only the innermost axis has a stride, which is 1.
bool isRow(Dims const& strides) {
    for (int axis = 0; axis + 1 < strides.rank(); ++axis) {
        if (strides[axis] != 0) return false;
    }
    return strides.rank() != 0 && strides[strides.rank() - 1] == 1;
}

} // namespace

EpilogueRun::EpilogueRun(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done, int bias)
    : result_(args.outputs[0]), format_(args.variant.outputs[0].format), bias_(bias),
      type_(args.variant.outputs[0].type), count_(paddedVolume(result_, format_)) {
    Dims const order = inMemoryOrder(result_, format_);
    program_.row = order.rank() == 0 ? 1 : order[order.rank() - 1];
    program_.paddedRow = format_.channelsLast ? paddedTo(program_.row, format_.block) : program_.row;
    program_.countsRows = program_.paddedRow != program_.row;
    program_.isSmall = count_ < kSmall;
    if (count_ == 0) return;
    if (program_.isSmall) program_.paddedRows = Divider(static_cast<uint32_t>(program_.paddedRow));
    auto const input = [&](int64_t i) { return args.inputs[static_cast<size_t>(i)]; };
    if (bias >= 0) {
        Dims perChannel = Dims::filled(result_.rank() - 1, 1);
        perChannel[0] = result_[1];
        add({PointwiseOp::Sum, bias});
        place(program_.operands[0], perChannel, Format::linear());
    }
    for (EpilogueStep const& step : steps.subspan(done)) {
        add(step);
        if (step.input < 0) continue;
        Format const& format = args.variant.inputs[static_cast<size_t>(step.input)].format;
        place(program_.operands[inputs_.size() - 1], input(step.input), format);
    }
}

void EpilogueRun::add(EpilogueStep const& step) {
    auto& made = program_.steps[static_cast<size_t>(program_.stepCount++)];
    made = {step.op, -1, static_cast<float>(step.alpha), static_cast<float>(step.beta)};
    if (step.input < 0) return;
    made.operand = static_cast<int8_t>(inputs_.size());
    inputs_.push_back(static_cast<int>(step.input));
}

void EpilogueRun::place(EpilogueProgram::Operand& operand, Dims const& dims, Format const& format) {
    bool const isWhole = format.isLinear() ? dims.volume() == count_ : dims == result_;
    if (isWhole && format == format_) return; // OperandPlace::Same
    if (dims.volume() == 1) {
        operand.place = OperandPlace::One;
        return;
    }
    Dims const strides = inMemoryOrder(broadcastStrides(dims, result_), format_);
    if (isRow(strides)) {
        operand.place = OperandPlace::Row;
        program_.countsRows = true;
        return;
    }
    if (!program_.isSmall) fail(ErrorCode::Unsupported, "an operand ", dims, kTooLarge);
    Dims extents = inMemoryOrder(result_, format_);
    extents[extents.rank() - 1] = program_.paddedRow;
    operand.place = OperandPlace::Strided;
    operand.where = Indexer<1>(extents, {strides});
}

std::string EpilogueRun::refusal(std::span<EpilogueStep const> steps, std::span<Dims const> inputs,
                                 Dims const& result) {
    if (result.volume() < kSmall) return {};
    for (EpilogueStep const& step : steps) {
        if (step.input < 0) continue;
        Dims const& dims = inputs[static_cast<size_t>(step.input)];
        bool const isSimple = dims.volume() == 1 || dims.volume() == result.volume();
        if (!isSimple && !isRow(broadcastStrides(dims, result))) return text("has an operand ", dims, kTooLarge);
    }
    return {};
}

EpilogueProgram EpilogueRun::program(Pointers const& pointers, void const* bias) const {
    EpilogueProgram ready = program_;
    for (size_t i = 0; i < inputs_.size(); ++i) {
        EpilogueProgram::Operand& operand = ready.operands[i];
        operand.data = inputs_[i] == bias_ ? bias : pointers.inputs[inputs_[i]];
        if (operand.place == OperandPlace::Same && !isAligned(operand.data)) operand.place = OperandPlace::Loose;
    }
    return ready;
}

void EpilogueRun::launch(Pointers const& pointers, void const* bias) const {
    if (isEmpty() || count_ == 0) return;
    EpilogueProgram const ready = program(pointers, bias);
    cudaStream_t const stream = streamOf(pointers.stream);
    dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
        constexpr int kLanes = 16 / sizeof(T);
        auto* const y = static_cast<T*>(pointers.outputs[0]);
        bool const wide = isAligned(y) && count_ % kLanes == 0 && takesPacks(kLanes);
        if (wide)
            sweepEpilogue<T, kLanes><<<blocksFor(count_ / kLanes), kThreads, 0, stream>>>(y, count_, ready);
        else
            sweepEpilogue<T, 1><<<blocksFor(count_), kThreads, 0, stream>>>(y, count_, ready);
    });
    checkLaunch("epilogue");
}

} // namespace tenon::cuda
