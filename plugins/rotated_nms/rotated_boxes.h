// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "boxes.h"

namespace tenon::plugins {

/// A box that is turned around its middle: its width lies along (cos(angle), sin(angle)). `angle` is in radians.
struct RotatedBox {
    float x, y, width, height, angle;
};

/// A rotated box as overlap() needs it.
struct RotatedExtent {
    explicit RotatedExtent(RotatedBox const& box);
    RotatedExtent() = default;

    double x = 0, y = 0;          ///< Of the middle.
    double along = 0, across = 0; ///< The direction of the width.
    double halfWidth = 0, halfHeight = 0;
    double radius = 0; ///< Of the circle through the corners.
    double area = 0;
};

/// The share of the joint area that two boxes have in common; 0 where one has no area.
double overlap(RotatedExtent const& a, RotatedExtent const& b);

/// As KeptBoxes.
class KeptRotatedBoxes {
public:
    using Shape = RotatedExtent;

    void clear(int64_t most, Borders borders);
    Shape shape(RotatedBox const& box) const { return Shape(box); }
    bool overlaps(Shape const& box, float limit) const;
    void add(Shape const& box) { boxes_[count_++] = box; }

private:
    std::vector<Shape> boxes_;
    size_t count_ = 0;
};

} // namespace tenon::plugins
