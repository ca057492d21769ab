// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "feature_maps.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

// What is not a number is at 0.
float within(float place, int64_t extent) { return place > 0 ? std::min(place, float(extent - 1)) : 0.0F; }
bool isWithin(float place, int64_t extent) { return place >= 0 && place <= float(extent - 1); }
float between(float a, float b, float share) { return a + (b - a) * share; }

} // namespace

float sampleNearest(Plane const& plane, float y, float x) {
    if (plane.height == 0 || plane.width == 0) return 0;
    y = within(y, plane.height);
    x = within(x, plane.width);
    // A place on a pixel has no other neighbour, nor has the last one; float(extent - 1) may have been rounded up.
    int64_t const top = std::min(int64_t(y), plane.height - 1), left = std::min(int64_t(x), plane.width - 1);
    float const down = top + 1 < plane.height ? y - float(top) : 0;
    float const over = left + 1 < plane.width ? x - float(left) : 0;
    int64_t const right = over > 0 ? left + 1 : left;
    float const* const upper = plane.values + top * plane.width;
    float const* const lower = down > 0 ? upper + plane.width : upper;
    return between(between(upper[left], upper[right], over), between(lower[left], lower[right], over), down);
}

float sampleInside(Plane const& plane, float y, float x) {
    return isWithin(y, plane.height) && isWithin(x, plane.width) ? sampleNearest(plane, y, x) : 0;
}

Plane planeOf(PluginBase::Tensor const& map, int64_t picture, int64_t channel) {
    return {map.floats() + (picture * map[1] + channel) * map[2] * map[3], map[2], map[3]};
}

int32_t pyramidLevel(float area, float largest, int32_t levels) {
    int32_t level = 0;
    for (; level + 1 < levels && area > largest; ++level) largest *= 4;
    return level;
}

void checkImageSize(std::vector<int32_t> const& imageSize) {
    if (imageSize.size() != 3 || std::ranges::min(imageSize) < 1)
        throw std::invalid_argument("image_size has to be three numbers, channels, height and width, 1 or more");
}

} // namespace tenon::plugins
