// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The valid pillars of PillarScatterPlugin, and their positions.
#pragma once

#include "plugin.h"

namespace tenon::plugins {

/// Whether an image can have this many pillars, of `most`.
constexpr bool isPillarCount(int32_t count, int64_t most) { return count >= 0 && count <= most; }

/// In a map, row by row; -1 outside of it.
/// \param coordinates frame, z, y, x
constexpr int64_t placeOfPillar(int32_t const* coordinates, int64_t height, int64_t width) {
    int64_t const y = coordinates[2], x = coordinates[3];
    return y >= 0 && y < height && x >= 0 && x < width ? y * width + x : -1;
}

/// Enqueues it on the stream. A pillar outside of the map is left out, and so are all pillars of an image whose count
/// is invalid.
/// \param inputs those of the plugin
/// \param last room for an index for each position of the map of each image
void scatterPillarsOnGpu(PluginBase::Tensors inputs, PluginBase::Tensor const& map, int32_t* last, cudaStream_t stream);

} // namespace tenon::plugins
