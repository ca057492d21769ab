// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

#include <cstdint>

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

/// Channel `channel` of picture `picture` of a map [B,C,H,W].
Plane planeOf(PluginBase::Tensor const& map, int64_t picture, int64_t channel);

/// The level of a feature pyramid whose map a region is taken from, 0 for the finest: each level is for regions of four
/// times the area of those of the level below, by equation 1 of "Feature Pyramid Networks" (arXiv 1612.03144).
/// \param largest the largest area of level 0
int32_t pyramidLevel(float area, float largest, int32_t levels);

} // namespace tenon::plugins
