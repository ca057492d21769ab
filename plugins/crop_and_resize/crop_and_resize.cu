// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "crop_and_resize/crop_and_resize.h"

#include "region_pooling.cuh"

namespace tenon::plugins {

void cropOnGpu(CropRegions const& regions, PluginBase::Tensors inputs, PluginBase::Tensor const& crops,
               cudaStream_t stream) {
    poolOnGpu(regions, inputs[1], {inputs.begin(), 1}, crops, stream);
}

} // namespace tenon::plugins
