// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/step_timer.h"

namespace tenon {

void StepTimer::begin(Engine const& engine, Segment const& segment, void* stream) {
    while (moments_.size() <= segment.endStep() - segment.firstStep())
        moments_.push_back(engine.backend().makeMoment());
    moments_[0]->mark(stream);
}

void StepTimer::report(Engine const& engine, Segment const& segment) const {
    size_t const first = segment.firstStep();
    for (size_t step = first; step < segment.endStep(); ++step)
        times_(*engine.steps()[step].assignment->node,
               moments_[step - first + 1]->nanosecondsSince(*moments_[step - first]));
}

} // namespace tenon
