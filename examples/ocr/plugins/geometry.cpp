// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "geometry.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ocr {
namespace {

// Positive where the way from a over b to c turns clockwise on the screen. In double: products of coordinates of
// large pictures leave the 24 bits that a float has.
double turn(Point a, Point b, Point c) {
    return (double(b.x) - a.x) * (double(c.y) - a.y) - (double(b.y) - a.y) * (double(c.x) - a.x);
}

float dot(Point a, Point b) { return a.x * b.x + a.y * b.y; }

Point leftOf(Point direction) { return {-direction.y, direction.x}; }

// The rectangle around `hull` with a side along the direction from `from` to `to`.
RotatedRect rectAlong(std::vector<Point> const& hull, Point from, Point to) {
    float const length = distance(from, to);
    Point const along = {(to.x - from.x) / length, (to.y - from.y) / length};
    Point const across = leftOf(along);
    float const infinite = std::numeric_limits<float>::infinity();
    float left = infinite, right = -infinite, top = infinite, bottom = -infinite;
    for (Point p : hull) {
        left = std::min(left, dot(p, along));
        right = std::max(right, dot(p, along));
        top = std::min(top, dot(p, across));
        bottom = std::max(bottom, dot(p, across));
    }
    float const x = (left + right) / 2, y = (top + bottom) / 2;
    Point const center = {along.x * x + across.x * y, along.y * x + across.y * y};
    return {center, along, right - left, bottom - top};
}

} // namespace

RotatedRect RotatedRect::grown(float distance) const {
    return {center, along, width + 2 * distance, height + 2 * distance};
}

Quad RotatedRect::corners() const {
    Point const across = leftOf(along);
    Point const w = {along.x * width / 2, along.y * width / 2}, h = {across.x * height / 2, across.y * height / 2};
    Quad quad = {Point{center.x - w.x - h.x, center.y - w.y - h.y}, Point{center.x + w.x - h.x, center.y + w.y - h.y},
                 Point{center.x + w.x + h.x, center.y + w.y + h.y}, Point{center.x - w.x + h.x, center.y - w.y + h.y}};
    std::sort(quad.begin(), quad.end(), [](Point a, Point b) { return a.x < b.x; });
    if (quad[0].y > quad[1].y) std::swap(quad[0], quad[1]);
    if (quad[2].y > quad[3].y) std::swap(quad[2], quad[3]);
    return {quad[0], quad[2], quad[3], quad[1]};
}

std::vector<Point> convexHull(std::vector<Point>& points) {
    std::sort(points.begin(), points.end(), [](Point a, Point b) { return std::pair(a.x, a.y) < std::pair(b.x, b.y); });
    std::vector<Point> hull;
    // Andrew's monotone chain: one way along the lower side, back along the upper.
    auto chain = [&](auto first, auto last) {
        size_t const start = hull.size();
        for (auto p = first; p != last; ++p) {
            while (hull.size() >= start + 2 && turn(hull[hull.size() - 2], hull.back(), *p) <= 0) hull.pop_back();
            hull.push_back(*p);
        }
        hull.pop_back(); // the first point of the other way
    };
    if (points.size() < 2) return points;
    chain(points.begin(), points.end());
    chain(points.rbegin(), points.rend());
    return hull;
}

RotatedRect minAreaRect(std::vector<Point> const& hull) {
    RotatedRect best{hull.empty() ? Point{} : hull.front(), {1, 0}, 0, 0};
    float leastArea = std::numeric_limits<float>::infinity();
    for (size_t i = 0; i < hull.size(); ++i) {
        Point const from = hull[i], to = hull[(i + 1) % hull.size()];
        if (distance(from, to) == 0) continue;
        RotatedRect const rect = rectAlong(hull, from, to);
        if (rect.area() < leastArea) {
            leastArea = rect.area();
            best = rect;
        }
    }
    return best;
}

} // namespace ocr
