// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "backends/cuda/epilogue.h"
#include "backends/cuda/pointwise_step.cuh"

namespace tenon::cuda {

/// Any operation, by a call: for those that take so long that inlining them for every lane gains nothing.
static __device__ __noinline__ float computeRareStep(PointwiseOp op, float a, float b, float alpha, float beta) {
    return computeStep(op, a, b, alpha, beta);
}

template <PointwiseOp op, int lanes>
__device__ __forceinline__ void applyOperation(EpilogueProgram::Step const& step, float (&x)[lanes],
                                               float const (&b)[lanes]) {
#pragma unroll
    for (int v = 0; v < lanes; ++v) x[v] = computeStep(op, x[v], b[v], step.alpha, step.beta);
}

/// a / (1 + exp(-alpha a)) with an error of a few millionths, in a third of the time: enough for 16-bit results.
__device__ __forceinline__ float quickSwish(float a, float alpha) {
    constexpr float kBitsPerNat = 1.44269504F;
    float power;
    float share;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(power) : "f"(-kBitsPerNat * alpha * a));
    asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(share) : "f"(1 + power));
    return a * share;
}

/// x[v] = step(x[v], b[v]) of every lane, for a result of type T; `b` is read by steps with an operand only.
template <class T, int lanes>
__device__ __forceinline__ void applyStep(EpilogueProgram::Step const& step, float (&x)[lanes],
                                          float const (&b)[lanes]) {
    using enum PointwiseOp;
    if (sizeof(T) == 2 && step.op == Swish) {
#pragma unroll
        for (int v = 0; v < lanes; ++v) x[v] = quickSwish(x[v], step.alpha);
        return;
    }
    switch (step.op) {
    case Relu: return applyOperation<Relu>(step, x, b);
    case LeakyRelu: return applyOperation<LeakyRelu>(step, x, b);
    case Clip: return applyOperation<Clip>(step, x, b);
    case Sigmoid: return applyOperation<Sigmoid>(step, x, b);
    case HardSigmoid: return applyOperation<HardSigmoid>(step, x, b);
    case HardSwish: return applyOperation<HardSwish>(step, x, b);
    case Swish: return applyOperation<Swish>(step, x, b);
    case Affine: return applyOperation<Affine>(step, x, b);
    case Sum: return applyOperation<Sum>(step, x, b);
    case Prod: return applyOperation<Prod>(step, x, b);
    case Sub: return applyOperation<Sub>(step, x, b);
    default: break;
    }
#pragma unroll
    for (int v = 0; v < lanes; ++v) x[v] = computeRareStep(step.op, x[v], b[v], step.alpha, step.beta);
}

/// The operand's elements for `lanes` elements of the result from `first` on, the first of them at `place` in its row;
/// `real` of them are not padding.
template <class T, int lanes>
__device__ __forceinline__ void readOperand(EpilogueProgram::Operand const& operand, int64_t first, int64_t place,
                                            int real, float (&to)[lanes]) {
    auto const* data = static_cast<T const*>(operand.data);
    if (operand.place == OperandPlace::Same) {
        auto const pack = *reinterpret_cast<Pack<T, lanes> const*>(data + first);
#pragma unroll
        for (int v = 0; v < lanes; ++v) to[v] = toFloat(pack.at[v]);
        return;
    }
#pragma unroll
    for (int v = 0; v < lanes; ++v) {
        int64_t offset[1]{0};
        if (operand.place == OperandPlace::Row) offset[0] = place + v;
        if (operand.place == OperandPlace::Loose) offset[0] = first + v;
        if (v < real && operand.place == OperandPlace::Strided)
            operand.where.offsets(static_cast<uint32_t>(first) + v, offset);
        to[v] = v < real ? toFloat(data[offset[0]]) : 0;
    }
}

__device__ __forceinline__ int64_t placeInRow(EpilogueProgram const& program, int64_t i) {
    if (!program.isSmall) return i % program.paddedRow;
    auto const index = static_cast<uint32_t>(i);
    return index - program.paddedRows.divide(index) * program.paddedRows.divisor();
}

/// Applies the steps to elements first…first + lanes - 1 of a result of type T. `first` is a multiple of `lanes`, and
/// so are the lengths of rows that are padded or along which an operand is read.
template <class T, int lanes>
__device__ __forceinline__ void applyEpilogue(EpilogueProgram const& program, int64_t first, float (&x)[lanes]) {
    int64_t place = 0;
    int real = lanes;
    if (program.countsRows) {
        place = placeInRow(program, first);
        real = static_cast<int>(min(int64_t{lanes}, program.row - place));
    }
    for (int i = 0; i < program.stepCount; ++i) {
        EpilogueProgram::Step const& step = program.steps[i];
        float b[lanes] = {};
        if (step.operand >= 0) readOperand<T>(program.operands[step.operand], first, place, real, b);
        applyStep<T>(step, x, b);
    }
    if (!program.countsRows) return;
#pragma unroll
    for (int v = 0; v < lanes; ++v) x[v] = v < real ? x[v] : 0;
}

} // namespace tenon::cuda
