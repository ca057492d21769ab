// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"
#include "runtime/engine.h"

#include <array>

namespace tenon {

/// Brings weights that an engine keeps in host memory to the device, each while the steps before its own run. Belongs
/// to a context; made and destroyed while its device is current.
class WeightStream {
public:
    /// `memory`: engine.streamedWeights().bufferBytes() on the device. Good until the engine's weightsVersion()
    /// changes.
    WeightStream(Engine const& engine, std::shared_ptr<void> memory);

    /// Calls place(step, number of the constant or StepWeights::kPacked, address) for all that is streamed: there it
    /// lies when the step runs.
    template <class Place> void placeAll(Place const& place) const {
        for (StepWeights const& weights : turns_) {
            for (StepWeights::Part const& part : weights.parts)
                place(weights.step, part.constant, addressOf(weights, part));
        }
    }

    /// At the beginning of a run in this stream.
    void begin(void* stream);
    /// Before a step runs: its weights are there for what is put into the stream from now on, and the next ones follow.
    void before(size_t step, void* stream);

private:
    std::byte* addressOf(StepWeights const& weights, StepWeights::Part const& part) const;
    void fetchNext(void* stream);

    Engine const& engine_;
    std::shared_ptr<void> memory_;
    std::vector<StepWeights> turns_; // those that are streamed, in the order of their steps
    size_t fetched_ = 0;             // how many of them were fetched in this run
    size_t used_ = 0;                // how many of them their steps have waited for

    // Where the device has streams: copies are put into one of their own, behind what the run has put into its stream
    // when it turns to the step before, whose weights nothing overwrites until it has run.
    std::shared_ptr<void> copying_;
    std::unique_ptr<Event> begun_;
    std::array<std::unique_ptr<Event>, 2> arrived_; // by turns
};

} // namespace tenon
