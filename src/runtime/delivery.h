// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "runtime/bindings.h"

namespace tenon {

/// Copies to the caller the outputs that no step of the segment wrote there directly: outputs that are inputs,
/// constants or shape tensors, after the last segment, and outputs of data-dependent size. Sinks receive the shapes of
/// their outputs. `actual`: the shapes as far as the run has determined them.
void deliver(Bindings const& bindings, Segment const& segment, ShapeProgram::Shapes const& actual, void* stream);

} // namespace tenon
