// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/step_chain.cuh"

#include "backends/cuda/launch.h"
#include "layers/convolution/epilogue.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

/// Y [count] → Y, a pack of elements a thread.
template <class T, int width> __global__ void stepsInPlace(Pack<T, width>* y, int64_t packs, StepChain const steps) {
    forEachElement(packs, [&](int64_t i) {
        Pack<T, width> pack = y[i];
        for (int j = 0; j < width; ++j) pack.at[j] = convertTo<T>(steps.apply<T>(toFloat(pack.at[j]), i * width + j));
        y[i] = pack;
    });
}

/// Nothing where an operand has neither the result's shape nor one number a channel or in all.
std::optional<StepChain::Reach> reachOf(Dims const& operand, Dims const& result, int channelAxis) {
    int const skipped = result.rank() - operand.rank();
    if (operand.volume() == 1) return StepChain::Reach::One;
    bool isWhole = result.volume() == operand.volume();
    bool isChannel = true;
    for (int axis = 0; axis < operand.rank(); ++axis) {
        isWhole = isWhole && operand[axis] == result[skipped + axis];
        isChannel = isChannel && (operand[axis] == 1 || skipped + axis == channelAxis);
    }
    if (isChannel) return StepChain::Reach::Channel;
    return isWhole ? std::optional(StepChain::Reach::Whole) : std::nullopt;
}

} // namespace

std::optional<StepChain> StepChain::of(std::span<PointwiseStep const> steps, int firstExtra,
                                       std::span<Dims const> inputs, Dims const& result, int channelAxis) {
    if (steps.size() > kMostSteps) return std::nullopt;
    int const extras = std::max(0, static_cast<int>(inputs.size()) - firstExtra);
    StepChain chain;
    for (size_t i = 0; i < steps.size(); ++i) {
        auto const other = otherOperand(steps, i, extras);
        if (!other) return std::nullopt;
        Step step{steps[i].op, Reach::None, 0, static_cast<float>(steps[i].alpha), static_cast<float>(steps[i].beta)};
        if (*other != 0) {
            step.input = firstExtra + static_cast<int>(*other) - 1;
            auto const reach = reachOf(inputs[static_cast<size_t>(step.input)], result, channelAxis);
            if (!reach) return std::nullopt;
            step.reach = *reach;
        }
        chain.steps_[chain.count_++] = step;
    }
    if (result.rank() == 0 || result.volume() == 0) return chain;
    chain.channels_ = result[channelAxis];
    chain.inner_ = result.volume(channelAxis + 1, result.rank());
    chain.isSmall_ = result.volume() < int64_t{1} << 31;
    if (chain.isSmall_) {
        chain.channelsDivider_ = Divider(static_cast<uint32_t>(chain.channels_));
        chain.innerDivider_ = Divider(static_cast<uint32_t>(chain.inner_));
    }
    return chain;
}

StepChain StepChain::without(size_t count) const {
    StepChain rest = *this;
    std::copy(steps_.begin() + static_cast<ptrdiff_t>(count), steps_.end(), rest.steps_.begin());
    rest.count_ -= static_cast<uint32_t>(count);
    return rest;
}

StepChain StepChain::bound(Pointers const& pointers) const {
    StepChain chain = *this;
    for (uint32_t i = 0; i < count_; ++i) {
        Step& step = chain.steps_[i];
        if (step.reach != Reach::None) step.operand = pointers.inputs[step.input];
    }
    return chain;
}

void launchSteps(StepChain const& bound, DataType type, void* y, int64_t count, cudaStream_t stream) {
    if (count == 0 || bound.size() == 0) return;
    dispatchFloat(type, [&]<class T>(TypeTag<T>) {
        constexpr int kWidth = 16 / sizeof(T);
        if (count % kWidth == 0)
            stepsInPlace<<<blocksFor(count / kWidth), kThreads, 0, stream>>>(static_cast<Pack<T, kWidth>*>(y),
                                                                             count / kWidth, bound);
        else
            stepsInPlace<<<blocksFor(count), kThreads, 0, stream>>>(static_cast<Pack<T, 1>*>(y), count, bound);
    });
    checkLaunch("steps of an epilogue");
}

} // namespace tenon::cuda
