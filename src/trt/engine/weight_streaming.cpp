// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/engine_face.h"

namespace tenon::trt {

void EngineFace::setWeightBudget(size_t bytes) {
    if (!plan().settings.streamsWeights)
        fail(ErrorCode::InvalidState,
             "the engine was built without BuilderFlag::kWEIGHT_STREAMING; build it again with that flag");
    if (plan().device == Device::Cpu) reporter_.noEffect(withoutEffect("ICudaEngine::setWeightStreamingBudget"));
    loaded_->setWeightBudget(bytes);
}

bool EngineFace::setWeightStreamingBudgetV2(int64_t gpuMemoryBudget) noexcept {
    return guarded(reporter_, "setWeightStreamingBudgetV2", [&] {
        if (gpuMemoryBudget < 0)
            fail(ErrorCode::InvalidArgument, "a budget of ", gpuMemoryBudget, " bytes; expected 0 or more, ",
                 getStreamableWeightsSize(), " for all weights");
        setWeightBudget(static_cast<size_t>(gpuMemoryBudget));
        return true;
    });
}

int64_t EngineFace::getStreamableWeightsSize() const noexcept {
    return loaded_->readWeights(
        [](Engine const& engine) { return static_cast<int64_t>(engine.streamedWeights().bytes()); });
}

int64_t EngineFace::getWeightStreamingBudgetV2() const noexcept {
    return loaded_->readWeights([](Engine const& engine) {
        size_t const all = engine.streamedWeights().bytes();
        return static_cast<int64_t>(std::min(engine.weightBudget().value_or(all), all));
    });
}

int64_t EngineFace::getWeightStreamingAutomaticBudget() const noexcept {
    return guarded(reporter_, "getWeightStreamingAutomaticBudget",
                   [&] { return static_cast<int64_t>(affordableWeightBudget()); });
}

size_t EngineFace::affordableWeightBudget() const {
    return loaded_->readWeights([](Engine const& engine) { return engine.affordableWeightBudget(); });
}

int64_t EngineFace::getWeightStreamingScratchMemorySize() const noexcept {
    return loaded_->readWeights(
        [](Engine const& engine) { return static_cast<int64_t>(engine.streamedWeights().bufferBytes()); });
}

// ---- since 10.0, where the budget includes the memory of one context for streamed weights, and 0 means no limit

bool EngineFace::setWeightStreamingBudget(int64_t gpuMemoryBudget) noexcept {
    return guarded(reporter_, "setWeightStreamingBudget", [&] {
        if (gpuMemoryBudget > 0) loaded_->core->expectUnstripped(); // the minimum is not known
        int64_t const least = getMinimumWeightStreamingBudget();
        bool const isKnown = gpuMemoryBudget == 0 || gpuMemoryBudget == -1 || gpuMemoryBudget >= least;
        if (!isKnown)
            fail(ErrorCode::InvalidArgument, "a budget of ", gpuMemoryBudget, " bytes; expected ", least,
                 " or more (getMinimumWeightStreamingBudget), 0 for no limit, or -1 for the memory of the device");
        if (gpuMemoryBudget == 0) setWeightBudget(StreamedWeights::kAll);
        if (gpuMemoryBudget == -1) setWeightBudget(affordableWeightBudget());
        if (gpuMemoryBudget > 0) setWeightBudget(static_cast<size_t>(gpuMemoryBudget - least));
        return true;
    });
}

int64_t EngineFace::getWeightStreamingBudget() const noexcept {
    int64_t const budget = getWeightStreamingBudgetV2();
    return budget == getStreamableWeightsSize() ? 0 : budget + getMinimumWeightStreamingBudget();
}

int64_t EngineFace::getMinimumWeightStreamingBudget() const noexcept {
    return loaded_->readWeights(
        [](Engine const& engine) { return static_cast<int64_t>(engine.streamedWeights().mostBufferBytes()); });
}

} // namespace tenon::trt
