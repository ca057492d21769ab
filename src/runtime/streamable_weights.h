// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/engine_step.h"
#include "runtime/streamed_weights.h"

namespace tenon {

/// The weights that may stay in host memory until their step runs, in the order of the steps; none in a plan that was
/// not built for it, or without weights. Time is proportional to the number of steps and their inputs.
std::vector<StepWeights> streamableWeights(Plan const& plan, ShapeProgram const& program,
                                           std::span<EngineStep const> steps);

} // namespace tenon
