// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "steps/step_program.h"

namespace tenon::cpu {

/// Steps on one tensor of 8-bit integers with a result of 8-bit integers: the executable has a table of the 256
/// possible results. Null for other programs and labels, and for few elements.
std::unique_ptr<Executable> makeByteTable(StepProgram const& program, PrepareArgs const& args);

} // namespace tenon::cpu
