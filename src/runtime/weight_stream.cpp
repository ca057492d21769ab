// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/weight_stream.h"

namespace tenon {

WeightStream::WeightStream(Engine const& engine, std::shared_ptr<void> memory)
    : engine_(engine), memory_(std::move(memory)) {
    for (StepWeights const& weights : engine.streamedWeights().steps()) {
        if (weights.isStreamed) turns_.push_back(weights);
    }
    Streams const* const streams = engine.backend().streams();
    if (!streams) return;
    copying_ = streams->makeStream();
    begun_ = streams->makeEvent();
    for (auto& event : arrived_) event = streams->makeEvent();
}

std::byte* WeightStream::addressOf(StepWeights const& weights, StepWeights::Part const& part) const {
    return static_cast<std::byte*>(memory_.get()) + weights.offset + part.offset;
}

void WeightStream::begin(void* stream) {
    fetched_ = 0;
    used_ = 0;
    fetchNext(stream);
}

void WeightStream::fetchNext(void* stream) {
    if (fetched_ == turns_.size()) return;
    void* const copying = copying_ ? copying_.get() : stream;
    if (copying_) {
        begun_->record(stream);
        begun_->wait(copying);
    }
    StepWeights const& weights = turns_[fetched_];
    for (StepWeights::Part const& part : weights.parts)
        engine_.backend().copy(addressOf(weights, part), engine_.weightsAt(weights.step, part), part.bytes, copying);
    if (copying_) arrived_[fetched_ % 2]->record(copying);
    ++fetched_;
}

void WeightStream::before(size_t step, void* stream) {
    if (used_ == turns_.size() || turns_[used_].step != step) return;
    if (copying_) arrived_[used_ % 2]->wait(stream);
    ++used_;
    fetchNext(stream);
}

} // namespace tenon
