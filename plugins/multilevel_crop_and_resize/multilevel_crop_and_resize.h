// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Regions of a feature pyramid, each resized from the map that its area chooses, one sample at the centre of each bin.
#pragma once

#include "region_samples.h"

namespace tenon::plugins {

/// Regions y1, x1, y2, x2 in pixels of the image, from maps of 1/4, 1/8 … of its size.
struct MultilevelRegions {
    static constexpr int kNumbers = 4, kLevels = 5;
    static constexpr float kLargestOfFinest = 224 * 224 / 4.0F; // in pixels: half of the scale, squared

    /// One axis of a region in its map.
    struct Axis {
        float start, step; // of the bins

        constexpr float at(int64_t bin) const { return start + step * (float(bin) + 0.5F); }
    };
    struct Region : PooledRegion {
        Axis y, x;
    };

    constexpr int64_t bins() const { return int64_t{size} * size; }
    constexpr Region regionOf(float const* corners, int64_t picture, RegionMaps const&) const {
        float const y1 = corners[0], x1 = corners[1], y2 = corners[2], x2 = corners[3];
        // The padding rows of a list of regions are not regions.
        bool const isValid = y1 >= 0 && x1 >= 0 && y2 <= float(height) && x2 <= float(width) && y1 < y2 && x1 < x2;
        if (!isValid) return {};
        int32_t const level = pyramidLevel((y2 - y1) * (x2 - x1), kLargestOfFinest, kLevels);
        auto const stride = float(4 << level);
        return {{level, picture, 1}, axisOf(y1 / stride, y2 / stride), axisOf(x1 / stride, x2 / stride)};
    }
    constexpr SamplePixels sampleOf(Region const& region, int64_t bin, int64_t, MapExtents const& map) const {
        return {nearestNeighboursOf(region.y.at(bin / size), map.height),
                nearestNeighboursOf(region.x.at(bin % size), map.width)};
    }

    int32_t size, height, width; // of the bins along each side; of the image

private:
    constexpr Axis axisOf(float low, float high) const { return {low, (high - low) / float(size)}; }
};

/// Enqueues it on the stream.
void resizeOnGpu(MultilevelRegions const& regions, PluginBase::Tensors inputs, PluginBase::Tensor const& pooled,
                 cudaStream_t stream);

} // namespace tenon::plugins
