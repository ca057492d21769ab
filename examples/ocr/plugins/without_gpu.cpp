// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// Replaces the *.cu files in the library if there is no CUDA toolkit to compile them. Engines on a GPU then copy the
// plugins' data to the host and back, so that these functions are never called.
#include "ctc_greedy_decode_gpu.h"
#include "gpu.h"
#include "text_boxes_gpu.h"

#include <stdexcept>

namespace ocr {

tenon::PluginDevices pluginDevices() noexcept { return tenon::PluginDevices::kCPU; }

void decodeOnGpu(CTCBatch const&, cudaStream_t) { throw std::logic_error("was built without GPU code"); }

size_t workspaceOnGpu(int64_t, int64_t, BoxRules const&) { return 0; }

void findBoxesOnGpu(ProbabilityMap, BoxRules const&, void*, FoundBoxes const&, cudaStream_t) {
    throw std::logic_error("was built without GPU code");
}

} // namespace ocr
