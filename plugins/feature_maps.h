// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <vector>

namespace tenon::plugins {

/// One channel of a feature map, row by row; owns nothing.
struct Plane {
    float const* values;
    int64_t height, width;
};

/// The value at a place between pixels, bilinear; pixel centres are at whole numbers. A place outside takes the nearest
/// one inside; a plane without pixels is 0 everywhere.
float sampleNearest(Plane const& plane, float y, float x);

/// The same, but 0 outside of the pixels' centres.
float sampleInside(Plane const& plane, float y, float x);

/// The pixels around a place on an axis of `extent` pixels, and the weight of the second, as regions are sampled: up to
/// one pixel outside of the pixels' centres, the nearest pixel is taken; further outside there is none, nor is there on
/// an axis without pixels.
struct Neighbours {
    int64_t low, high;
    float weight;
    bool outside;
};

inline Neighbours neighboursOf(float place, int64_t extent) {
    if (extent == 0 || !(place >= -1 && place <= float(extent))) return {0, 0, 0, true};
    place = std::max(place, 0.0F);
    auto const low = int64_t(place);
    if (low >= extent - 1) return {extent - 1, extent - 1, 0, false};
    return {low, low + 1, place - float(low), false};
}

/// Four numbers that are computed with at once.
using Floats [[gnu::vector_size(16)]] = float;

/// The four pixels around a place in a plane, and how much of each belongs to the sample.
class BilinearSample {
public:
    /// Nowhere.
    BilinearSample() = default;
    /// Nowhere if one of them is outside.
    BilinearSample(Neighbours const& y, Neighbours const& x, int64_t width)
        : upper_(y.outside || x.outside ? -1 : y.low * width + x.low), lower_(y.high * width + x.low),
          hasOneColumn_(x.high == x.low), weights_{(1 - y.weight) * (1 - x.weight), (1 - y.weight) * x.weight,
                                                   y.weight * (1 - x.weight), y.weight * x.weight} {}

    void multiply(float factor) { weights_ *= factor; }

    /// The weighted pixels of each of several planes, row by row; 0 where there are none.
    template <size_t N> void take(float const* const (&planes)[N], Floats (&taken)[N]) const {
        std::fill_n(taken, N, Floats{});
        if (upper_ < 0) return;
        for (size_t i = 0; i < N; ++i) {
            float const *const upper = planes[i] + upper_, *const lower = planes[i] + lower_;
            taken[i] = weights_ * (hasOneColumn_ ? Floats{*upper, *upper, *lower, *lower} : pairs(upper, lower));
        }
    }

private:
    // The right pixels are next to the left ones, so both of a row are one load.
    static Floats pairs(float const* upper, float const* lower) {
        using Pairs [[gnu::vector_size(16)]] = double;
        double first, second;
        std::memcpy(&first, upper, sizeof first);
        std::memcpy(&second, lower, sizeof second);
        return std::bit_cast<Floats>(Pairs{first, second});
    }

    int64_t upper_ = -1, lower_ = -1;
    bool hasOneColumn_ = false;
    Floats weights_{};
};

/// Channel `channel` of picture `picture` of a map [B,C,H,W].
Plane planeOf(PluginBase::Tensor const& map, int64_t picture, int64_t channel);

/// The level of a feature pyramid whose map a region is taken from, 0 for the finest: each level is for regions of four
/// times the area of those of the level below, by equation 1 of "Feature Pyramid Networks" (arXiv 1612.03144).
/// \param largest the largest area of level 0
int32_t pyramidLevel(float area, float largest, int32_t levels);

/// Throws std::invalid_argument where the field image_size is not channels, height and width, each 1 or more.
void checkImageSize(std::vector<int32_t> const& imageSize);

} // namespace tenon::plugins
