// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "roi_align_rotated/roi_align_rotated.h"

#include "region_pooling.cuh"

namespace tenon::plugins {

void poolRotatedOnGpu(RotatedRegions const& regions, PluginBase::Tensors inputs, PluginBase::Tensor const& pooled,
                      cudaStream_t stream) {
    poolOnGpu(regions, inputs[1], {inputs.begin(), 1}, pooled, stream);
}

} // namespace tenon::plugins
