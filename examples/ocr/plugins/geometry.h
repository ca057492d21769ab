// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace ocr {

// x to the right, y downwards, in pixels; whole numbers are pixel centres.
struct Point {
    float x = 0;
    float y = 0;
};

inline float distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

// Top left, top right, bottom right, bottom left, as a reader would call them.
using Quad = std::array<Point, 4>;

// A rectangle at any angle. `along` has length 1 and is the direction of `width`.
struct RotatedRect {
    Point center;
    Point along;
    float width = 0;
    float height = 0;

    float area() const { return width * height; }
    float perimeter() const { return 2 * (width + height); }

    // The rectangle whose every side lies `distance` further out.
    RotatedRect grown(float distance) const;
    Quad corners() const;
};

// The corners of the convex hull, in order around it. Sorts `points`.
std::vector<Point> convexHull(std::vector<Point>& points);

// The rectangle of least area around a convex polygon; one of its sides lies on a side of the polygon.
// A polygon of fewer than two points gives a rectangle of width and height 0.
RotatedRect minAreaRect(std::vector<Point> const& hull);

} // namespace ocr
