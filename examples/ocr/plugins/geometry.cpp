// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "geometry.h"

namespace ocr {

std::vector<Point> convexHull(std::vector<Span> const& rows, int32_t top) {
    std::vector<Point> hull(2 * rows.size());
    hull.resize(size_t(convexHull(rows.data(), int32_t(rows.size()), top, hull.data())));
    return hull;
}

RotatedRect minAreaRect(std::vector<Point> const& hull) {
    RotatedRect best{hull.empty() ? Point{} : hull.front(), {1, 0}, 0, 0};
    float leastArea = INFINITY;
    for (size_t side = 0; side < hull.size(); ++side) {
        RotatedRect const rect = rectOnSide({hull.data(), int32_t(hull.size())}, int32_t(side));
        if (rect.area() >= leastArea) continue;
        leastArea = rect.area();
        best = rect;
    }
    return best;
}

} // namespace ocr
