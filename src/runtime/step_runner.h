// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/blame.h"
#include "runtime/context_weights.h"
#include "runtime/recorded_steps.h"
#include "runtime/step_markers.h"
#include "runtime/step_streams.h"
#include "runtime/step_timer.h"
#include "runtime/tensor_watch.h"

namespace tenon {

/// Runs the steps of a context's segments: one after another, in auxiliary streams, or replayed by the device.
/// Observers (timer, blame, markers, debug tensors) are classes of their own, called around a step. Made while the
/// engine's device is current.
class StepRunner {
public:
    StepRunner(Engine const& engine, StepStates const& states, ContextWeights& weights);

    void run(Segment& segment, RecordedSteps& recorded, void* stream);

    Blame const& blame() const { return blame_; }
    StepMarkers const& markers() const { return markers_; }
    TensorWatch const& watch() const { return watch_; }
    /// Runs put all work into the caller's stream.
    bool usesOneStream() const { return !blame_.isOn() && !streams_ && !weights_.areStreamed(); }

    void setAuxStreams(std::vector<void*> const& streams) {
        if (streams_) streams_->use(streams);
    }
    void setCommunicator(void* communicator) { communicator_ = communicator; }
    bool traces() const { return traces_; }
    void setTracing(bool traces) { traces_ = traces; }
    void setTimes(StepTimes times) { timer_.set(std::move(times)); }
    void setMarkers(StepMarkers markers) { markers_ = std::move(markers); }
    void setWatch(TensorWatch::Watch const& watch) { watch_.set(watch); }
    void freeStreams() { streams_.reset(); }

private:
    bool mayReplay() const;
    void runStep(Segment& segment, size_t step, void* stream);
    void runTimed(Segment& segment, void* stream);
    void runRecorded(Segment& segment, RecordedSteps& recorded, void* stream);

    Engine const& engine_;
    Backend const& backend_;
    StepStates const& states_;
    ContextWeights& weights_;
    Blame blame_;
    std::optional<StepStreams> streams_; // where the engine has auxiliary ones
    void* communicator_ = nullptr;
    bool traces_ = false;
    StepTimer timer_;
    StepMarkers markers_;
    TensorWatch watch_;
};

} // namespace tenon
