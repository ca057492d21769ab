// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "box_rules.h"

#include <NvInferRuntime.h>

#include <cstddef>

namespace ocr {

// Where the boxes go.
struct FoundBoxes {
    float* corners; // [M,4,2]
    float* scores;  // [M]
    int64_t* count; // M, at most BoxRules::maxCandidates
};

// Bytes of workspace that a map of this size takes; a smaller map takes no more.
size_t workspaceOnGpu(int64_t height, int64_t width, BoxRules const& rules);

// Finds the boxes that TextBoxFinder finds, in the same order. All pointers lead to the GPU's memory. Returns once the
// work is put into the stream. Throws std::runtime_error if that fails.
void findBoxesOnGpu(ProbabilityMap map, BoxRules const& rules, void* workspace, FoundBoxes const& found,
                    cudaStream_t stream);

} // namespace ocr
