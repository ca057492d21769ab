// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/context_weights.h"

namespace tenon {

void ContextWeights::takeNew() {
    stream_.reset();
    states_.forgetStreamed();
    version_ = engine_.weightsVersion();
}

void ContextWeights::allocateFor(ContextMemory const& memory) {
    if (stream_ || !engine_.streamsNow()) return;
    CurrentDevice const device(engine_.backend(), engine_.deviceIndex());
    stream_.emplace(engine_, memory.allocateLasting(engine_.streamedWeights().bufferBytes()));
    stream_->placeAll([&](size_t step, int constant, void const* address) {
        if (constant == StepWeights::kPacked) states_.setStreamed(step, address);
    });
}

void ContextWeights::bind(Segment& segment) const {
    if (!stream_) return;
    stream_->placeAll([&](size_t, int constant, void* address) {
        if (constant != StepWeights::kPacked) segment.bind(constant, address);
    });
}

} // namespace tenon
