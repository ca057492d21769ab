// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "runtime/step_markers.h"

namespace tenon {

StepMarkers::StepMarkers(Engine const& engine, ProfilingVerbosity verbosity) {
    if (verbosity == ProfilingVerbosity::None || !engine.backend().markers()) return;
    for (Engine::Step const& step : engine.steps()) {
        Assignment const& assignment = *step.assignment;
        bool const tellsKernel = verbosity == ProfilingVerbosity::Detailed && assignment.kernel;
        names_.push_back(
            text(*assignment.node, tellsKernel ? " by " : "", tellsKernel ? assignment.kernel->name() : ""));
    }
}

} // namespace tenon
