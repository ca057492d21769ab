// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "steps/step_program.h"

namespace tenon::cpu {

/// Whether so many tiles are enough for the operands and all results that live at a time.
bool fitsTiles(StepProgram const& program);

/// The program as an Executable: the output is computed tile by tile, each step one loop over a tile that stays in the
/// first-level cache. Types float32, float16 and bfloat16, and integers of 8 bits with a scale, computed in float; any
/// format that memoryAxes() takes. The output may lie where an input of its size and type does.
std::unique_ptr<Executable> makeTileExecutable(StepProgram const& program, PrepareArgs const& args);

} // namespace tenon::cpu
