// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "steps/step_program.h"

namespace tenon::cpu {

/// Whether there are enough tiles for the operands and all results that are live at a time.
bool fitsTiles(StepProgram const& program);

/// The program as an Executable: the output is computed tile by tile, each step one loop over a tile that stays in the
/// L1 cache. Types float32, float16 and bfloat16, and 8-bit integers with a scale, computed in float; any format that
/// memoryAxes() supports. The output may share the memory of an input of its size and type.
std::unique_ptr<Executable> makeTileExecutable(StepProgram const& program, PrepareArgs const& args);

} // namespace tenon::cpu
