// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/engine_face.h"

namespace tenon::trt {
namespace {

/// What a context takes when as little as possible stays on the device.
int64_t leastBuffer(Engine const& engine) {
    StreamedWeights weights = engine.streamedWeights();
    weights.setBudget(0);
    return static_cast<int64_t>(weights.bufferBytes());
}

} // namespace

void EngineFace::setWeightBudget(int64_t bytes) {
    if (!plan().settings.streamsWeights)
        fail(ErrorCode::InvalidState, "the engine was built without BuilderFlag::kWEIGHT_STREAMING: all of its weights "
                                      "are where it computes; build it again with that flag");
    if (plan().device == Device::Cpu)
        reporter_.noEffect("ICudaEngine::setWeightStreamingBudget", "the CPU reads weights where they are");
    loaded_->core->setWeightBudget(static_cast<size_t>(bytes));
}

bool EngineFace::setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept {
    return guarded(reporter_, "setWeightStreamingBudgetV2", [&] {
        if (gpuMemoryBudget < 0)
            fail(ErrorCode::InvalidArgument, "a budget of ", gpuMemoryBudget, " bytes; expected 0 or more, where ",
                 getStreamableWeightsSize(), " and more is room for all weights");
        setWeightBudget(gpuMemoryBudget);
        return true;
    });
}

int64_t EngineFace::getStreamableWeightsSize() const noexcept {
    return static_cast<int64_t>(loaded_->core->streamedWeights().bytes());
}

int64_t EngineFace::getWeightStreamingBudgetV2() const noexcept {
    Engine const& engine = *loaded_->core;
    size_t const all = engine.streamedWeights().bytes();
    return static_cast<int64_t>(std::min(engine.weightBudget().value_or(all), all));
}

int64_t EngineFace::getWeightStreamingAutomaticBudget() const noexcept {
    return guarded(reporter_, "getWeightStreamingAutomaticBudget",
                   [&] { return static_cast<int64_t>(loaded_->core->affordableWeightBudget()); });
}

int64_t EngineFace::getWeightStreamingScratchMemorySize() const noexcept {
    return static_cast<int64_t>(loaded_->core->streamedWeights().bufferBytes());
}

// ---- as of 10.0, where the budget holds the memory of one context for streamed weights too, and 0 is no limit

bool EngineFace::setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept {
    return guarded(reporter_, "setWeightStreamingBudget", [&] {
        int64_t const least = getMinimumWeightStreamingBudget();
        bool const isKnown = gpuMemoryBudget == 0 || gpuMemoryBudget == -1 || gpuMemoryBudget >= least;
        if (!isKnown)
            fail(ErrorCode::InvalidArgument, "a budget of ", gpuMemoryBudget, " bytes; expected ", least,
                 " or more (getMinimumWeightStreamingBudget), 0 for no limit, or -1 for what the device has room for");
        if (gpuMemoryBudget == 0) setWeightBudget(getStreamableWeightsSize());
        if (gpuMemoryBudget == -1) setWeightBudget(getWeightStreamingAutomaticBudget());
        if (gpuMemoryBudget > 0) setWeightBudget(gpuMemoryBudget - least);
        return true;
    });
}

int64_t EngineFace::getWeightStreamingBudget() const noexcept {
    int64_t const budget = getWeightStreamingBudgetV2();
    return budget == getStreamableWeightsSize() ? 0 : budget + getMinimumWeightStreamingBudget();
}

int64_t EngineFace::getMinimumWeightStreamingBudget() const noexcept {
    return guarded(reporter_, "getMinimumWeightStreamingBudget", [&] { return leastBuffer(*loaded_->core); });
}

} // namespace tenon::trt
