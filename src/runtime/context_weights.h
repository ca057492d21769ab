// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/context_memory.h"
#include "runtime/step_states.h"
#include "runtime/weight_stream.h"

#include <optional>

namespace tenon {

/// Which of the engine's weights a context runs with, and memory for those that its runs stream.
class ContextWeights {
public:
    ContextWeights(Engine const& engine, StepStates& states)
        : engine_(engine), states_(states), version_(engine.weightsVersion()) {}

    /// Called after the engine's weights changed. Segments prepared with the old ones must be dropped, because kernels
    /// keep data derived from weights; then takeNew(), while the engine's device is current.
    bool areOld() const { return version_ != engine_.weightsVersion(); }
    void takeNew();
    /// Allocates memory for streamed weights, if there are any and it is not allocated yet. Kernels that are prepared
    /// afterwards find them there.
    void allocateFor(ContextMemory const& memory);
    /// Binds streamed constants.
    void bind(Segment& segment) const;

    bool areStreamed() const { return stream_.has_value(); }
    void begin(void* stream) {
        if (stream_) stream_->begin(stream);
    }
    void before(size_t step, void* stream) {
        if (stream_) stream_->before(step, stream);
    }
    void free() { stream_.reset(); }

private:
    Engine const& engine_;
    StepStates& states_;
    int64_t version_; // the engine's version when segments were prepared
    std::optional<WeightStream> stream_;
};

} // namespace tenon
