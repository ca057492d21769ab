// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInferRuntime.h>

#include <cstdint>

namespace ocr {

// The inputs and outputs of CTCGreedyDecode, all in the memory of one device.
struct CTCBatch {
    float const* probabilities; // [texts, steps, classes]
    int64_t texts, steps, classes;
    int32_t blank;
    int32_t* indices;  // [texts, steps]
    int32_t* lengths;  // [texts]
    float* confidence; // [texts]
};

// Decodes as on the host. Returns once the work is enqueued. Throws std::runtime_error if that fails.
void decodeOnGpu(CTCBatch const& batch, cudaStream_t stream);

} // namespace ocr
