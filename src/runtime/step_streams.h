// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/streams.h"
#include "runtime/engine.h"

namespace tenon {

/// Runs the steps of an engine with auxiliary streams in their planned streams. Belongs to a context; made and
/// destroyed while its device is current.
class StepStreams {
public:
    explicit StepStreams(Engine const& engine);

    /// The application's streams replace the first of its own; none: its own again.
    void use(std::vector<void*> const& streams);

    /// Calls run(the step's stream) between the step's waits. `stream` is the caller's. Steps are passed in order,
    /// together with all others between the same two steps that run alone.
    template <class Run> void run(size_t step, void* stream, Run const& run) {
        StepPlace const& place = places_[step];
        if (place.forks) forked_->record(stream);
        void* const own = place.stream == 0 ? stream : streams_[static_cast<size_t>(place.stream) - 1];
        for (int const wait : place.waits) end(wait).wait(own);
        run(own);
        if (place.isAwaited) ended_[step]->record(own);
        for (int const join : place.joins) end(join).wait(stream);
    }

private:
    Event& end(int step) { return step == StepPlace::kFork ? *forked_ : *ended_[static_cast<size_t>(step)]; }

    std::vector<StepPlace> const& places_;
    std::vector<std::shared_ptr<void>> own_;
    std::vector<void*> streams_; // the auxiliary ones
    std::unique_ptr<Event> forked_;
    std::vector<std::unique_ptr<Event>> ended_; // by step; null if nothing waits for it
};

} // namespace tenon
