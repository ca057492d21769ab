// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// "Deformable DETR: Deformable Transformers for End-to-End Object Detection" (arXiv 2010.04159), equation 3: each query
// is, per head, the sum of its attention weights times samples at a few positions of several feature maps.
#pragma once

#include "plugin.h"

namespace tenon::plugins {

/// The extents of a call: B images, S positions of all maps together, M heads of D channels, L maps, Q queries, P
/// points for each query and map.
struct AttentionExtents {
    explicit AttentionExtents(PluginBase::Tensors inputs)
        : pictures(inputs[0][0]), places(inputs[0][1]), heads(inputs[0][2]), channels(inputs[0][3]),
          queries(inputs[3][1]), maps(inputs[3][3]), points(inputs[3][4]) {}

    int64_t pictures, places, heads, channels, queries, maps, points;
};

/// One of the concatenated maps.
struct AttentionMap {
    int32_t height, width, start;

    /// \param shapes height and width of each map
    /// \param starts the first position of each
    constexpr AttentionMap(int32_t const* shapes, int32_t const* starts, int64_t map)
        : height(shapes[2 * map]), width(shapes[2 * map + 1]), start(starts[map]) {}

    constexpr int64_t pixels() const { return int64_t{height} * width; }
    constexpr bool isWithin(int64_t places) const {
        return height >= 0 && width >= 0 && start >= 0 && start + pixels() <= places;
    }
};

/// The four pixels around a position of a map, and their weights in a sample; outside of the map all is 0.
struct AttentionTaps {
    int32_t place[4] = {-1, -1, -1, -1}; ///< Among those of the map; -1 if there is none.
    float share[4] = {};

    /// \param x from 0 to 1 across the map; the same for y
    /// \param weight that of the sample
    constexpr AttentionTaps(AttentionMap const& map, float x, float y, float weight) {
        float const column = x * float(map.width) - 0.5F, row = y * float(map.height) - 0.5F;
        if (!(column > -1 && row > -1 && column < float(map.width) && row < float(map.height))) return; // NaN, too
        auto const left = int32_t(column + 1) - 1, top = int32_t(row + 1) - 1;
        float const right = column - float(left), bottom = row - float(top);
        for (int i = 0; i < 4; ++i) {
            int32_t const tapRow = top + i / 2, tapColumn = left + i % 2;
            if (tapRow < 0 || tapColumn < 0 || tapRow >= map.height || tapColumn >= map.width) continue;
            place[i] = tapRow * map.width + tapColumn;
            share[i] = weight * (i / 2 == 0 ? 1 - bottom : bottom) * (i % 2 == 0 ? 1 - right : right);
        }
    }
};

/// Enqueues it on the stream. The inputs are those of the plugin; a map that is not within the values is left out.
void attendOnGpu(PluginBase::Tensors inputs, PluginBase::Tensor const& output, cudaStream_t stream);

} // namespace tenon::plugins
