// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "steps/step_program.h"

namespace tenon::cpu {

/// Steps on one tensor that is kept in integers of 8 bits, as their result is: they give 256 results at most, which the
/// executable knows. Null for other programs and labels, and for few elements.
std::unique_ptr<Executable> makeByteTable(StepProgram const& program, PrepareArgs const& args);

} // namespace tenon::cpu
