// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/step_runner.h"

#include "base/error.h"

#include <cstdlib>

namespace tenon {

StepRunner::StepRunner(Engine const& engine, StepStates const& states, ContextWeights& weights)
    : engine_(engine), backend_(engine.backend()), states_(states), weights_(weights),
      blame_(backend_, engine.log(), asksForBlame(std::getenv("TENON_BLAME"))), watch_(engine) {
    if (engine.auxStreams() != 0) streams_.emplace(engine);
}

void StepRunner::run(Segment& segment, RecordedSteps& recorded, void* stream) {
    if (timer_.isOn()) return runTimed(segment, stream);
    if (mayReplay()) return runRecorded(segment, recorded, stream);
    for (size_t step = segment.firstStep(); step < segment.endStep(); ++step) {
        runStep(segment, step, stream);
        if (watch_.isOn()) watch_.showOutputs(segment, step);
    }
}

/// A replay cannot be interrupted between two steps, where weights are streamed.
bool StepRunner::mayReplay() const {
    return !watch_.isOn() && !blame_.isOn() && !traces_ && !weights_.areStreamed() && backend_.streams();
}

void StepRunner::runRecorded(Segment& segment, RecordedSteps& recorded, void* stream) {
    recorded.run(segment, backend_, stream, [&](size_t step, void* s) {
        if (!streams_) return runStep(segment, step, s);
        streams_->run(step, s, [&](void* own) { runStep(segment, step, own); });
    });
}

void StepRunner::runTimed(Segment& segment, void* stream) {
    timer_.begin(engine_, segment, stream);
    for (size_t step = segment.firstStep(); step < segment.endStep(); ++step) {
        runStep(segment, step, stream);
        timer_.ended(segment, step, stream);
        if (watch_.isOn()) watch_.showOutputs(segment, step);
    }
    timer_.report(engine_, segment);
}

void StepRunner::runStep(Segment& segment, size_t step, void* stream) {
    MarkedRange const range(backend_, markers_.ofStep(step));
    Node const& node = *engine_.steps()[step].assignment->node;
    auto const run = [&] { segment.run(step, stream, communicator_); };
    locate([&] { return text(node); },
           [&] {
               weights_.before(step, stream);
               blame_.isOn() ? blame_.runStep(node, states_.all()[step].plugin, stream, run) : run();
               if (traces_) backend_.synchronize(stream);
           });
    if (traces_) say(engine_.log(), Severity::Info, text(node, ": has run"));
}

} // namespace tenon
