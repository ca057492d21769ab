// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "pyramid_roi_align/pyramid_roi_align.h"

#include "region_pooling.cuh"

namespace tenon::plugins {

void poolPyramidOnGpu(PyramidRegions const& regions, PluginBase::Tensors inputs, PluginBase::Tensor const& pooled,
                      cudaStream_t stream) {
    poolOnGpu(regions, inputs[0], {inputs.begin() + 1, inputs.size() - 1}, pooled, stream);
}

} // namespace tenon::plugins
