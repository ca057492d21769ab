// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Which pillars PillarScatterPlugin takes, and where they stand.
#pragma once

#include "plugin.h"

namespace tenon::plugins {

/// Whether a picture can have so many pillars, of `most`.
constexpr bool isPillarCount(int32_t count, int64_t most) { return count >= 0 && count <= most; }

/// In a map, row by row; -1 outside of it.
/// \param coordinates frame, z, y, x
constexpr int64_t placeOfPillar(int32_t const* coordinates, int64_t height, int64_t width) {
    int64_t const y = coordinates[2], x = coordinates[3];
    return y >= 0 && y < height && x >= 0 && x < width ? y * width + x : -1;
}

/// Puts it on the stream. A pillar outside of the map is left out, and so are the pillars of a picture that cannot have
/// as many as it says.
/// \param inputs those of the plugin
/// \param last room for a number for each place of the map of each picture
void scatterPillarsOnGpu(PluginBase::Tensors inputs, PluginBase::Tensor const& map, int32_t* last, cudaStream_t stream);

} // namespace tenon::plugins
