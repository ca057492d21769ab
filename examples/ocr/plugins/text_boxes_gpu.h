// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "box_rules.h"

#include <NvInferRuntime.h>

#include <cstddef>

namespace ocr {

// The outputs.
struct FoundBoxes {
    float* corners; // [M,4,2]
    float* scores;  // [M]
    int64_t* count; // M, at most BoxRules::maxCandidates
};

// The workspace in bytes for a map of this size; a smaller map needs no more.
size_t workspaceOnGpu(int64_t height, int64_t width, BoxRules const& rules);

// Finds the same boxes as TextBoxFinder, in the same order. All pointers are to GPU memory. Returns once the work is
// enqueued. Throws std::runtime_error if that fails.
void findBoxesOnGpu(ProbabilityMap map, BoxRules const& rules, void* workspace, FoundBoxes const& found,
                    cudaStream_t stream);

} // namespace ocr
