// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// tf.image.crop_and_resize of TensorFlow, with method bilinear and extrapolation value 0.
#pragma once

#include "region_samples.h"

namespace tenon::plugins {

/// Boxes y1, x1, y2, x2, normalized to the distance from the first pixel to the last; a bin is a sample.
struct CropRegions {
    static constexpr int kNumbers = 4;

    /// One axis of a box in its map.
    struct Axis {
        float start, step;

        constexpr Axis(float low, float high, int64_t pixels, int32_t crop) : start(0), step(0) {
            auto const way = float(pixels - 1);
            start = crop > 1 ? low * way : 0.5F * (low + high) * way; // a crop of one pixel samples the centre
            step = crop > 1 ? (high - low) * way / float(crop - 1) : 0;
        }
        constexpr float at(int64_t index) const { return start + float(index) * step; }
    };
    struct Region : PooledRegion {
        Axis y, x;
    };

    constexpr int64_t bins() const { return int64_t{height} * width; }
    constexpr Region regionOf(float const* corners, int64_t picture, RegionMaps const& maps) const {
        MapExtents const& map = maps.extents[0];
        return {
            {0, picture, 1}, {corners[0], corners[2], map.height, height}, {corners[1], corners[3], map.width, width}};
    }
    constexpr SamplePixels sampleOf(Region const& region, int64_t bin, int64_t, MapExtents const& map) const {
        return {insideNeighboursOf(region.y.at(bin / width), map.height),
                insideNeighboursOf(region.x.at(bin % width), map.width)};
    }

    int32_t height, width;
};

/// Enqueues it on the stream.
void cropOnGpu(CropRegions const& regions, PluginBase::Tensors inputs, PluginBase::Tensor const& crops,
               cudaStream_t stream);

} // namespace tenon::plugins
