// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Regions of feature maps that are pooled, each to the same number of bins, as means of samples between the pixels: the
// common code of CPU and GPU. The regions of a plugin are defined by its formula, a class that both compile:
//
//     static constexpr int kNumbers = 4;     of a region, in the plugin's input
//     struct Region : PooledRegion { … };
//     constexpr int64_t bins() const;
//     constexpr Region regionOf(float const* numbers, int64_t picture, RegionMaps const& maps) const;
//     constexpr SamplePixels sampleOf(Region const& region, int64_t bin, int64_t sample, MapExtents const& map) const;
#pragma once

#include "plugin.h"

#include <algorithm>
#include <cstdint>

namespace tenon::plugins {

struct MapExtents {
    int64_t height = 0, width = 0;
};

/// The maps that regions are taken from: this many images each, of the same channels.
struct RegionMaps {
    static constexpr size_t kMost = 5;

    /// \param of tensors [B,C,H,W]
    explicit RegionMaps(PluginBase::Tensors of) : pictures(of[0][0]), channels(of[0][1]) {
        for (size_t i = 0; i < of.size(); ++i) extents[i] = {of[i][2], of[i][3]};
    }

    int64_t pictures, channels;
    MapExtents extents[kMost];
};

/// Common members of all regions.
struct PooledRegion {
    int32_t map = -1; ///< Its index; without a map all bins are 0.
    int64_t picture = 0;
    int64_t samples = 0; ///< In each bin; a bin without samples is 0.
};

/// The pixels around a position on an axis, and the weight of the second.
struct Neighbours {
    int64_t low = 0, high = 0;
    float weight = 0;
    bool outside = true; ///< There are none.
};

/// Up to one pixel outside of the pixels' centres, the nearest pixel is used; further outside there is none, nor on an
/// axis without pixels.
constexpr Neighbours neighboursOf(float place, int64_t extent) {
    if (extent == 0 || !(place >= -1 && place <= float(extent))) return {};
    place = std::max(place, 0.0F);
    auto const low = int64_t(place);
    if (low >= extent - 1) return {extent - 1, extent - 1, 0, false};
    return {low, low + 1, place - float(low), false};
}

/// The same, but a position outside uses the nearest pixel inside, and NaN the first. A position on a pixel has no
/// other neighbour.
constexpr Neighbours nearestNeighboursOf(float place, int64_t extent) {
    if (extent == 0) return {};
    place = place > 0 ? std::min(place, float(extent - 1)) : 0.0F;
    int64_t const low = std::min(int64_t(place), extent - 1); // float(extent - 1) may have been rounded up
    float const weight = low + 1 < extent ? place - float(low) : 0;
    return {low, weight > 0 ? low + 1 : low, weight, false};
}

/// The same, but none outside of the pixels' centres.
constexpr Neighbours insideNeighboursOf(float place, int64_t extent) {
    bool const isInside = place >= 0 && place <= float(extent - 1);
    return isInside ? nearestNeighboursOf(place, extent) : Neighbours();
}

/// The four pixels around a position.
struct SamplePixels {
    Neighbours y, x;

    constexpr bool outside() const { return y.outside || x.outside; }
};

/// The level of a feature pyramid whose map a region is taken from, 0 for the finest: each level is for regions of four
/// times the area of those of the level below, by equation 1 of "Feature Pyramid Networks" (arXiv 1612.03144).
/// \param largest the largest area of level 0
constexpr int32_t pyramidLevel(float area, float largest, int32_t levels) {
    int32_t level = 0;
    for (; level + 1 < levels && area > largest; ++level) largest *= 4;
    return level;
}

} // namespace tenon::plugins
