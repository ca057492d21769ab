// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"

namespace tenon::plugins {

/// Enqueues it on the stream. The tensors are those of the plugin; padded outputs have NmsRules::perPicture rows.
/// \param workspace gpuNmsWorkspace() bytes
void batchedNmsOnGpu(NmsRules const& rules, Rows rows, bool clipsBoxes, PluginBase::Tensors inputs,
                     PluginBase::Tensors outputs, void* workspace, cudaStream_t stream);

} // namespace tenon::plugins
