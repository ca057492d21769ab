// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/indexing.h"
#include "backends/kernel.h"
#include "layers/pointwise/pointwise.h"

#include <cuda_runtime_api.h>
#include <optional>

namespace tenon::cuda {

/// The steps of an epilogue as an argument of kernels, each of which works on the result of the one before. Beside it
/// a step may read an operand of the result's shape, of one number a channel, or of one in all; all are of one type.
/// How a kernel runs them: step_chain.cuh.
class StepChain {
public:
    static constexpr size_t kMostSteps = 16;

    /// How operands lie beside the result.
    enum class Reach : uint8_t { None, Whole, Channel, One };
    struct Step {
        PointwiseOp op = PointwiseOp::Relu;
        Reach reach = Reach::None;
        int input = 0; // of the node
        float alpha = 0;
        float beta = 0;
        void const* operand = nullptr;
    };

    StepChain() = default;
    /// The epilogue of a node whose operands are the inputs from `firstExtra` on, dense as its result is; channels are
    /// along `channelAxis` of it. Nothing where an operand has another shape, or there are too many steps.
    static std::optional<StepChain> of(std::span<PointwiseStep const> steps, int firstExtra,
                                       std::span<Dims const> inputs, Dims const& result, int channelAxis);

    size_t size() const { return count_; }
    int64_t channels() const { return channels_; }
    Step const& operator[](size_t i) const { return steps_[i]; }
    /// All but the first `count`, which something else has taken over.
    StepChain without(size_t count) const;
    /// With the addresses of this run's operands.
    StepChain bound(Pointers const& pointers) const;

#ifdef __CUDACC__
    /// `value` is number `index` of the result, which is of type T.
    template <class T> __device__ __forceinline__ float apply(float value, int64_t index) const;
#endif

private:
#ifdef __CUDACC__
    __device__ __forceinline__ int64_t channelOf(int64_t index) const;
#endif

    std::array<Step, kMostSteps> steps_;
    uint32_t count_ = 0;
    int64_t channels_ = 1;
    int64_t inner_ = 1;   // neighbours of one channel
    bool isSmall_ = true; // below 2^31 elements: the dividers do
    Divider channelsDivider_;
    Divider innerDivider_;
};

/// y[i] = steps(y[i]) for each of the `count` elements.
void launchSteps(StepChain const& bound, DataType type, void* y, int64_t count, cudaStream_t stream);

} // namespace tenon::cuda
