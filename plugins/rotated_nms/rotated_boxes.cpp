// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "rotated_boxes.h"

#include <array>
#include <cmath>

namespace tenon::plugins {
namespace {

struct Point {
    double x, y;
};

// A convex polygon, of at most the corners of two boxes.
struct Polygon {
    std::array<Point, 8> corners;
    size_t count;
};

double cross(Point const& a, Point const& b) { return a.x * b.y - a.y * b.x; }

double areaOf(Polygon const& polygon) {
    double twice = 0;
    for (size_t i = 0; i < polygon.count; ++i)
        twice += cross(polygon.corners[i], polygon.corners[(i + 1) % polygon.count]);
    return std::abs(twice) / 2;
}

// What is left of a polygon where depth(point) >= 0. The depth is a linear function (Sutherland and Hodgman, "Reentrant
// Polygon Clipping").
template <typename Depth> Polygon clip(Polygon const& from, Depth const& depth) {
    Polygon to{{}, 0};
    auto const add = [&](Point const& point) {
        if (to.count < to.corners.size()) to.corners[to.count++] = point; // rounding must not make it larger
    };
    for (size_t i = 0; i < from.count; ++i) {
        Point const &a = from.corners[i], &b = from.corners[(i + 1) % from.count];
        double const depthOfA = depth(a), depthOfB = depth(b);
        if (depthOfA >= 0) add(a);
        if ((depthOfA >= 0) == (depthOfB >= 0)) continue;
        double const part = depthOfA / (depthOfA - depthOfB);
        add({a.x + (b.x - a.x) * part, a.y + (b.y - a.y) * part});
    }
    return to;
}

// Of b, as the middle and the edges of a see them.
Polygon cornersSeenFrom(RotatedExtent const& a, RotatedExtent const& b) {
    auto const turned = [&](double x, double y) {
        return Point{x * a.along + y * a.across, y * a.along - x * a.across};
    };
    Point const middle = turned(b.x - a.x, b.y - a.y);
    Point const width = turned(b.along * b.halfWidth, b.across * b.halfWidth);
    Point const height = turned(-b.across * b.halfHeight, b.along * b.halfHeight);
    auto const corner = [&](double w, double h) {
        return Point{middle.x + w * width.x + h * height.x, middle.y + w * width.y + h * height.y};
    };
    return {{corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)}, 4};
}

double commonArea(RotatedExtent const& a, RotatedExtent const& b) {
    Polygon common = cornersSeenFrom(a, b);
    common = clip(common, [&](Point const& point) { return a.halfWidth - point.x; });
    common = clip(common, [&](Point const& point) { return a.halfWidth + point.x; });
    common = clip(common, [&](Point const& point) { return a.halfHeight - point.y; });
    common = clip(common, [&](Point const& point) { return a.halfHeight + point.y; });
    return areaOf(common);
}

} // namespace

RotatedExtent::RotatedExtent(RotatedBox const& box)
    : x(box.x), y(box.y), along(std::cos(double(box.angle))), across(std::sin(double(box.angle))),
      halfWidth(double(box.width) / 2), halfHeight(double(box.height) / 2), radius(std::hypot(halfWidth, halfHeight)),
      area(box.width > 0 && box.height > 0 ? double(box.width) * double(box.height) : 0) {}

double overlap(RotatedExtent const& a, RotatedExtent const& b) {
    double const right = b.x - a.x, down = b.y - a.y, reach = a.radius + b.radius;
    if (right * right + down * down > reach * reach || !(a.area > 0 && b.area > 0)) return 0;
    double const both = commonArea(a, b), either = a.area + b.area - both;
    return both > 0 && either > 0 ? both / either : 0;
}

void KeptRotatedBoxes::clear(int64_t most, Borders) {
    if (boxes_.size() < size_t(most)) boxes_.resize(size_t(most));
    count_ = 0;
}

bool KeptRotatedBoxes::overlaps(Shape const& box, float limit) const {
    if (limit < 0) return count_ > 0;
    return std::any_of(boxes_.begin(), boxes_.begin() + int64_t(count_), [&](Shape const& kept) {
        bool const canOverlap = std::min(kept.area, box.area) > limit * std::max(kept.area, box.area);
        return canOverlap && overlap(kept, box) > limit;
    });
}

} // namespace tenon::plugins
