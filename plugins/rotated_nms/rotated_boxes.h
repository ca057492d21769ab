// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "boxes.h"

#include <cmath>

namespace tenon::plugins {

/// A box that is rotated around its centre: its width lies along (cos(angle), sin(angle)). `angle` is in radians.
struct RotatedBox {
    float x, y, width, height, angle;
};

/// A rotated box as overlap() needs it.
struct RotatedExtent {
    RotatedExtent() = default;
    constexpr explicit RotatedExtent(RotatedBox const& box)
        : x(box.x), y(box.y), along(std::cos(double(box.angle))), across(std::sin(double(box.angle))),
          halfWidth(double(box.width) / 2), halfHeight(double(box.height) / 2),
          radius(std::sqrt(halfWidth * halfWidth + halfHeight * halfHeight)),
          area(box.width > 0 && box.height > 0 ? double(box.width) * double(box.height) : 0) {}

    double x = 0, y = 0;          ///< Of the centre.
    double along = 0, across = 0; ///< The direction of the width.
    double halfWidth = 0, halfHeight = 0;
    double radius = 0; ///< Of the circle through the corners.
    double area = 0;
};

/// The intersection of rotated boxes.
namespace rotated_boxes {

struct Point {
    double x, y;
};

/// A convex polygon, of at most the corners of two boxes.
struct Polygon {
    static constexpr int kMost = 8;

    /// Only if there is room: rounding must not overflow it.
    constexpr void add(Point const& point) {
        if (count < kMost) corners[count++] = point;
    }
    constexpr Point const& after(int i) const { return corners[i + 1 < count ? i + 1 : 0]; }
    constexpr double area() const {
        double twice = 0;
        for (int i = 0; i < count; ++i) twice += corners[i].x * after(i).y - corners[i].y * after(i).x;
        return (twice < 0 ? -twice : twice) / 2;
    }

    Point corners[kMost] = {};
    int count = 0;
};

/// The part of a polygon where depth(point) >= 0. The depth is a linear function (Sutherland and Hodgman, "Reentrant
/// Polygon Clipping").
template <typename Depth> constexpr Polygon clip(Polygon const& from, Depth const& depth) {
    Polygon to;
    for (int i = 0; i < from.count; ++i) {
        Point const &a = from.corners[i], &b = from.after(i);
        double const depthOfA = depth(a), depthOfB = depth(b);
        if (depthOfA >= 0) to.add(a);
        if ((depthOfA >= 0) == (depthOfB >= 0)) continue;
        double const part = depthOfA / (depthOfA - depthOfB);
        to.add({a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part});
    }
    return to;
}

/// A point in the coordinates of a box's centre and edges.
constexpr Point turned(RotatedExtent const& box, double x, double y) {
    return {x * box.along + y * box.across, y * box.along - x * box.across};
}

/// The corners of b, in the coordinates of a.
constexpr Polygon cornersSeenFrom(RotatedExtent const& a, RotatedExtent const& b) {
    Point const middle = turned(a, b.x - a.x, b.y - a.y);
    Point const width = turned(a, b.along * b.halfWidth, b.across * b.halfWidth);
    Point const height = turned(a, -b.across * b.halfHeight, b.along * b.halfHeight);
    Polygon corners;
    for (int i = 0; i < 4; ++i) {
        double const w = i == 1 || i == 2 ? 1 : -1, h = i < 2 ? -1 : 1;
        corners.add({middle.x + w * width.x + h * height.x, middle.y + w * width.y + h * height.y});
    }
    return corners;
}

constexpr double commonArea(RotatedExtent const& a, RotatedExtent const& b) {
    Polygon common = cornersSeenFrom(a, b);
    common = clip(common, [&](Point const& point) { return a.halfWidth - point.x; });
    common = clip(common, [&](Point const& point) { return a.halfWidth + point.x; });
    common = clip(common, [&](Point const& point) { return a.halfHeight - point.y; });
    common = clip(common, [&](Point const& point) { return a.halfHeight + point.y; });
    return common.area();
}

} // namespace rotated_boxes

/// The intersection over union of two boxes; 0 if one has no area.
constexpr double overlap(RotatedExtent const& a, RotatedExtent const& b) {
    double const right = b.x - a.x, down = b.y - a.y, reach = a.radius + b.radius;
    if (right * right + down * down > reach * reach || !(a.area > 0 && b.area > 0)) return 0;
    double const both = rotated_boxes::commonArea(a, b), either = a.area + b.area - both;
    return both > 0 && either > 0 ? both / either : 0;
}

/// Whether a box overlaps a kept one by more than `limit`; below 0, any does.
constexpr bool overlaps(RotatedExtent const& kept, RotatedExtent const& box, float limit) {
    if (limit < 0) return true;
    bool const canOverlap = std::min(kept.area, box.area) > limit * std::max(kept.area, box.area);
    return canOverlap && overlap(kept, box) > limit;
}

/// As in KeptBoxes.
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
