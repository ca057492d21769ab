// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"
#include "runtime/engine.h"

#include <array>

namespace tenon {

/// Copies weights that an engine keeps in host memory to the device, during the steps before their own. Belongs to a
/// context; made and destroyed while its device is current.
class WeightStream {
public:
    /// `memory`: engine.streamedWeights().bufferBytes() on the device. Valid until the engine's weightsVersion()
    /// changes.
    WeightStream(Engine const& engine, std::shared_ptr<void> memory);

    /// Calls place(step, number of the constant or StepWeights::kPacked, address) for all streamed weights: the address
    /// when the step runs.
    template <class Place> void placeAll(Place const& place) const {
        for (StepWeights const& weights : turns_) {
            for (StepWeights::Part const& part : weights.parts)
                place(weights.step, part.constant, addressOf(weights, part));
        }
    }

    /// At the beginning of a run in this stream.
    void begin(void* stream);
    /// Before a step runs: work put into the stream from now on finds its weights, and the copies of the next ones
    /// begin.
    void before(size_t step, void* stream);

private:
    std::byte* addressOf(StepWeights const& weights, StepWeights::Part const& part) const;
    void fetchNext(void* stream);

    Engine const& engine_;
    std::shared_ptr<void> memory_;
    std::vector<StepWeights> turns_; // those that are streamed, in the order of their steps
    size_t fetched_ = 0;             // how many of them were fetched in this run
    size_t used_ = 0;                // how many of them their steps have waited for

    // If the device has streams: copies run in a separate one, after all work that was in the run's stream when the
    // previous step was reached, whose weights are not overwritten until it has run.
    std::shared_ptr<void> copying_;
    std::unique_ptr<Event> begun_;
    std::array<std::unique_ptr<Event>, 2> arrived_; // alternating
};

} // namespace tenon
