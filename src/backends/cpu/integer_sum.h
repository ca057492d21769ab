// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "steps/step_program.h"

namespace tenon::cpu {

/// Whether a tensor has dense 8-bit integers with a scale, in the order of another label.
bool isIntegers(Label const& label, Label const& like);

/// The sum of two tensors of one shape, optionally followed by a ReLU, where all three are 8-bit integers: without
/// float32 tiles in between. Null for other programs and labels.
std::unique_ptr<Executable> makeIntegerSum(StepProgram const& program, PrepareArgs const& args);

} // namespace tenon::cpu
