// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// A region is the image's index, its centre x, y, width, height and angle. Each bin is the mean of bilinear samples, as
// in "Mask R-CNN" (arXiv 1703.06870), section 3; a sample at (x, y) of the unrotated region is taken at its centre plus
// (x cos + y sin, y cos - x sin) of the angle.
#pragma once

#include "region_samples.h"

#include <cmath>

namespace tenon::plugins {

/// Rotated regions. The members are the fields of the plugins.
struct RotatedRegions {
    static constexpr int kNumbers = 6;
    /// Along one side of a bin: more would take minutes for a region that is hardly in the image. A region that
    /// requests more than the second is invalid.
    static constexpr int32_t kMostSamples = 1024, kMostAskedFor = 1 << 16;

    /// In pixels of the map.
    struct Region : PooledRegion {
        float x, y, width, height, cosine, sine;
        int32_t rows, columns; ///< Samples in each bin.
    };

    constexpr int64_t bins() const { return int64_t{rows} * columns; }
    constexpr bool isPicture(float number, RegionMaps const& maps) const {
        return number >= 0 && number < float(maps.pictures);
    }
    /// An invalid region: its image does not exist, or its elements are invalid.
    constexpr Region regionOf(float const* roi, int64_t, RegionMaps const& maps) const {
        float const shift = isAligned ? 0.5F : 0.0F, least = isAligned ? -INFINITY : 1.0F;
        float const angle = roi[5] * unitOfAngles;
        Region region{};
        region.x = roi[1] * scale - shift, region.y = roi[2] * scale - shift;
        region.width = std::max(roi[3] * scale, least), region.height = std::max(roi[4] * scale, least);
        region.cosine = std::cos(angle), region.sine = std::sin(angle);
        float const down = samplesOf(region.height, rows), across = samplesOf(region.width, columns);
        bool const isFinite = std::isfinite(region.x + region.y + region.width + region.height + angle);
        if (!isPicture(roi[0], maps) || !isFinite || !(std::max(down, across) <= float(kMostAskedFor))) return region;
        region.map = 0;
        region.picture = int64_t(roi[0]);
        region.rows = heldSamples(down), region.columns = heldSamples(across);
        region.samples = int64_t{region.rows} * region.columns;
        return region;
    }
    constexpr SamplePixels sampleOf(Region const& region, int64_t bin, int64_t sample, MapExtents const& map) const {
        int64_t const row = sample / region.columns, column = sample - row * region.columns;
        float const y = placeIn(region.height, rows, bin / columns, row, region.rows);
        float const x = placeIn(region.width, columns, bin % columns, column, region.columns);
        return {neighboursOf(region.y + y * region.cosine - x * region.sine, map.height),
                neighboursOf(region.x + x * region.cosine + y * region.sine, map.width)};
    }

    int32_t rows, columns; ///< Of bins.
    int32_t samplingRatio; ///< Samples along each side of a bin; 0: one for each pixel.
    float scale;           ///< From the regions to the map.
    bool isAligned;        ///< The centre of the first pixel is at 1/2; else at 0, and regions are at least 1 x 1.
    float unitOfAngles;    ///< In radians, counterclockwise.

private:
    constexpr float samplesOf(float size, int32_t bins) const {
        return samplingRatio > 0 ? float(samplingRatio) : std::max(std::ceil(size / float(bins)), 0.0F);
    }

    static constexpr int32_t heldSamples(float asked) {
        return asked < float(kMostSamples) ? int32_t(asked) : kMostSamples;
    }

    /// From the centre of a region.
    static constexpr float placeIn(float size, int32_t bins, int64_t bin, int64_t sample, int32_t samples) {
        float const binSize = size / float(bins);
        return (float(bin) + (float(sample) + 0.5F) / float(samples)) * binSize - size / 2;
    }
};

/// Enqueues it on the stream.
void poolRotatedOnGpu(RotatedRegions const& regions, PluginBase::Tensors inputs, PluginBase::Tensor const& pooled,
                      cudaStream_t stream);

} // namespace tenon::plugins
