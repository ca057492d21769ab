// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "steps/step_program.h"

namespace tenon::cpu {

/// Whether elements are integers of 8 bits with a scale, one after the other, in the order of another label.
bool isIntegers(Label const& label, Label const& like);

/// The sum of two tensors of one shape, perhaps with a relu behind it, where all three are kept in integers of 8 bits:
/// without tiles of real numbers between. Null for other programs and labels.
std::unique_ptr<Executable> makeIntegerSum(StepProgram const& program, PrepareArgs const& args);

} // namespace tenon::cpu
