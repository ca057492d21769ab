// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Choice of the map: equation 1 of "Feature Pyramid Networks" (arXiv 1612.03144); positions of the samples: "Mask
// R-CNN" (arXiv 1703.06870) and roi_coords_transform.
#pragma once

#include "region_samples.h"

#include <cmath>

namespace tenon::plugins {

/// Regions of images, from the map of a feature pyramid that their area chooses. The members are the plugin's fields,
/// decoded.
struct PyramidRegions {
    static constexpr int kNumbers = 4, kLevels = 4;
    static constexpr int32_t kMostSamples = 4096; // along one side of a bin, wider than any image

    /// The coordinates in a map of 0 and 1 of a region.
    enum Transform : int32_t { kCorners = -1, kNoHalfPixel = 0, kOutputHalfPixel = 1, kHalfPixel = 2 };

    /// One axis of a region in its map: the start of its bins, their distance, the samples in each.
    struct Axis {
        float start, step;
        int32_t samples;

        /// \param shift of the samples in their parts of the bin
        constexpr float at(int64_t bin, int64_t sample, float shift) const {
            return start + step * (float(bin) + (float(sample) + shift) / float(samples));
        }
    };
    struct Region : PooledRegion {
        Axis y, x;
    };

    constexpr int64_t bins() const { return int64_t{size} * size; }
    constexpr Region regionOf(float const* corners, int64_t picture, RegionMaps const& maps) const {
        int const first = yFirst ? 0 : 1; // of y
        Extent const y = extentOf(corners[first], corners[first + 2], height);
        Extent const x = extentOf(corners[1 - first], corners[3 - first], width);
        float const area = (y.high - y.low + more / float(height)) * (x.high - x.low + more / float(width));
        Region region{{pyramidLevel(area, largestOfFinest, kLevels), picture}, {}, {}};
        MapExtents const& map = maps.extents[region.map];
        region.y = axisOf(y, map.height);
        region.x = axisOf(x, map.width);
        region.samples = int64_t{region.y.samples} * region.x.samples;
        return region;
    }
    constexpr SamplePixels sampleOf(Region const& region, int64_t bin, int64_t sample, MapExtents const& map) const {
        float const shift = transform >= kOutputHalfPixel ? 0.5F : 0.0F;
        int64_t const row = sample / region.x.samples;
        int64_t const column = sample - row * region.x.samples;
        return {nearestNeighboursOf(region.y.at(bin / size, row, shift), map.height),
                nearestNeighboursOf(region.x.at(bin % size, column, shift), map.width)};
    }

    int32_t size = 7;                    ///< Bins along each side.
    int32_t height = 1024, width = 1024; ///< Of the image.
    bool isAbsolute = true;              ///< Corners are in pixels of the image; else fractions of it.
    bool yFirst = false;
    float more = 0;            ///< Pixels by which a region is extended along each side, for the choice of maps.
    float largestOfFinest = 0; ///< The largest fraction of the image that is taken from the finest map.
    int32_t transform = kHalfPixel;
    int32_t samplingRatio = 0; ///< Samples along each side of a bin; 0: one for each pixel.

private:
    /// Along one axis, as fractions of the image.
    struct Extent {
        float low, high;
    };

    /// Parts outside of the image belong to no region.
    constexpr Extent extentOf(float a, float b, int32_t pixels) const {
        float const whole = isAbsolute ? float(pixels) : 1.0F;
        auto const shareOf = [whole](float place) { return place > 0 ? std::min(place, whole) / whole : 0.0F; };
        return {shareOf(std::min(a, b)), shareOf(std::max(a, b))};
    }

    constexpr Axis axisOf(Extent const& shares, int64_t pixels) const {
        bool const fromCorners = transform == kCorners;
        float const scale = float(fromCorners ? pixels - 1 : pixels);
        float const length = (shares.high - shares.low) * scale;
        float const start = shares.low * scale - (transform == kHalfPixel ? 0.5F : 0.0F);
        // From corner to corner there is one step less than there are bins; a single bin starts at the first corner.
        int32_t const steps = fromCorners && size > 1 ? size - 1 : size;
        return {start, length / float(steps), samplingRatio > 0 ? samplingRatio : samplesOf(length / float(size))};
    }

    static constexpr int32_t samplesOf(float length) {
        return int32_t(std::clamp(std::ceil(length), 1.0F, float(kMostSamples)));
    }
};

/// Enqueues it on the stream.
void poolPyramidOnGpu(PyramidRegions const& regions, PluginBase::Tensors inputs, PluginBase::Tensor const& pooled,
                      cudaStream_t stream);

} // namespace tenon::plugins
