// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

// Marks functions that the GPU's kernels and the host call.
#ifdef __CUDACC__
#define OCR_ON_BOTH __host__ __device__
#else
#define OCR_ON_BOTH
#endif

namespace ocr {

// x to the right, y downwards, in pixels; integers are pixel centres.
struct Point {
    float x = 0;
    float y = 0;
};

// Rows or columns of pixels from `first` to `last`; none if last < first.
struct Span {
    int32_t first;
    int32_t last;
};

OCR_ON_BOTH inline float distance(Point a, Point b) {
    double const x = double(a.x) - b.x, y = double(a.y) - b.y;
    return float(std::sqrt(x * x + y * y)); // not hypot, which the host and CUDA round differently
}

OCR_ON_BOTH inline float dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }

OCR_ON_BOTH inline Point leftOf(Point direction) { return {-direction.y, direction.x}; }

// Positive if the path from a over b to c turns clockwise on the screen. In double: products of coordinates of large
// images exceed the 24 bits of a float.
OCR_ON_BOTH inline double turn(Point a, Point b, Point c) {
    return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(b.y) - a.y) * (double(c.x) - a.x);
}

// Top left, top right, bottom right, bottom left, as seen by a reader.
using Quad = std::array<Point, 4>;

// A rectangle at any angle. `along` has length 1 and is the direction of `width`.
struct RotatedRect {
    Point center;
    Point along;
    float width = 0;
    float height = 0;

    OCR_ON_BOTH float area() const { return width * height; }
    OCR_ON_BOTH float perimeter() const { return 2 * (width + height); }
    OCR_ON_BOTH float shorterSide() const { return std::min(width, height); }

    // The rectangle with every side moved out by `distance`.
    OCR_ON_BOTH RotatedRect grown(float distance) const {
        return {center, along, width + 2 * distance, height + 2 * distance};
    }

    OCR_ON_BOTH Quad corners() const;
};

OCR_ON_BOTH inline void swapIf(bool condition, Point& a, Point& b) {
    if (!condition) return;
    Point const kept = a;
    a = b;
    b = kept;
}

OCR_ON_BOTH inline Quad RotatedRect::corners() const {
    Point const across = leftOf(along);
    Point const w = {along.x * width / 2, along.y * width / 2}, h = {across.x * height / 2, across.y * height / 2};
    Quad quad = {Point{center.x - w.x - h.x, center.y - w.y - h.y}, Point{center.x + w.x - h.x, center.y + w.y - h.y},
                 Point{center.x + w.x + h.x, center.y + w.y + h.y}, Point{center.x - w.x + h.x, center.y - w.y + h.y}};
    for (int sorted = 1; sorted < 4; ++sorted) // from left to right
        for (int i = sorted; i > 0; --i) swapIf(quad[i].x < quad[i - 1].x, quad[i - 1], quad[i]);
    swapIf(quad[0].y > quad[1].y, quad[0], quad[1]);
    swapIf(quad[2].y > quad[3].y, quad[2], quad[3]);
    return {quad[0], quad[2], quad[3], quad[1]};
}

// The corners of the convex hull of pixels, clockwise on the screen: down along the right side, up along the left. Row
// top + i covers the columns rows[i]. `hull` has room for two corners per row. Returns their number; a topmost or
// bottommost row of a single pixel counts twice.
OCR_ON_BOTH inline int32_t convexHull(Span const* rows, int32_t count, int32_t top, Point* hull) {
    int32_t size = 0;
    // Andrew's monotone chain: each corner that a later one makes concave is removed.
    auto append = [&](int32_t chain, int32_t x, int32_t row) {
        Point const next = {float(x), float(top + row)};
        while (size >= chain + 2 && turn(hull[size - 2], hull[size - 1], next) <= 0) --size;
        hull[size++] = next;
    };
    for (int32_t row = 0; row < count; ++row) append(0, rows[row].last, row);
    int32_t const bottom = size;
    for (int32_t row = count - 1; row >= 0; --row) append(bottom, rows[row].first, row);
    return size;
}

struct Polygon {
    Point const* corners;
    int32_t count;
};

// The rectangle around a convex polygon with a side on the polygon's side from corner `side` to the next. Infinite if
// these are one point, so that it is never the smallest.
OCR_ON_BOTH inline RotatedRect rectOnSide(Polygon hull, int32_t side) {
    Point const from = hull.corners[side], to = hull.corners[side + 1 < hull.count ? side + 1 : 0];
    float const length = distance(from, to);
    if (length == 0) return {from, {1, 0}, INFINITY, INFINITY};
    Point const along = {(to.x - from.x) / length, (to.y - from.y) / length};
    Point const across = leftOf(along);
    float left = INFINITY, right = -INFINITY, top = INFINITY, bottom = -INFINITY;
    for (int32_t i = 0; i < hull.count; ++i) {
        float const x = dot(hull.corners[i], along), y = dot(hull.corners[i], across);
        left = std::min(left, x);
        right = std::max(right, x);
        top = std::min(top, y);
        bottom = std::max(bottom, y);
    }
    float const x = (left + right) / 2, y = (top + bottom) / 2;
    Point const center = {along.x * x + across.x * y, along.y * x + across.y * y};
    return {center, along, right - left, bottom - top};
}

// The rows, from 0 to height - 1, and the columns in one of them, from 0 to width - 1, whose pixels' centres are in a
// convex quad.
OCR_ON_BOTH Span rowsInside(Quad const& quad, int32_t height);
OCR_ON_BOTH Span columnsInside(Quad const& quad, int32_t row, int32_t width);

namespace detail {

// Corners are computed in float: a pixel on the edge stays inside.
inline constexpr float kRounding = 1e-3F;

OCR_ON_BOTH inline float topOf(Quad const& quad) {
    return std::min(std::min(quad[0].y, quad[1].y), std::min(quad[2].y, quad[3].y));
}

OCR_ON_BOTH inline float bottomOf(Quad const& quad) {
    return std::max(std::max(quad[0].y, quad[1].y), std::max(quad[2].y, quad[3].y));
}

OCR_ON_BOTH inline Span wholeNumbers(float from, float to, int32_t size) {
    return {std::max(0, int32_t(std::ceil(from - kRounding))), std::min(size - 1, int32_t(std::floor(to + kRounding)))};
}

} // namespace detail

OCR_ON_BOTH inline Span rowsInside(Quad const& quad, int32_t height) {
    return detail::wholeNumbers(detail::topOf(quad), detail::bottomOf(quad), height);
}

OCR_ON_BOTH inline Span columnsInside(Quad const& quad, int32_t row, int32_t width) {
    float const y = std::min(std::max(float(row), detail::topOf(quad)), detail::bottomOf(quad));
    float left = INFINITY, right = -INFINITY;
    auto cover = [&](float x) {
        left = std::min(left, x);
        right = std::max(right, x);
    };
    for (int i = 0; i < 4; ++i) {
        Point const a = quad[i], b = quad[(i + 1) % 4];
        if (y < std::min(a.y, b.y) || y > std::max(a.y, b.y)) continue;
        cover(a.y == b.y ? a.x : a.x + (b.x - a.x) * (y - a.y) / (b.y - a.y));
        if (a.y == b.y) cover(b.x);
    }
    return detail::wholeNumbers(left, right, width);
}

// convexHull() into memory of its own.
std::vector<Point> convexHull(std::vector<Span> const& rows, int32_t top);

// The rectangle of smallest area around a convex polygon; one of its sides is on a side of the polygon. A polygon of
// fewer than two points has a rectangle of width and height 0.
RotatedRect minAreaRect(std::vector<Point> const& hull);

} // namespace ocr
