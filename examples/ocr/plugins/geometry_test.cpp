// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "geometry.h"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace ocr {
namespace {

// The corners of a rectangle around (50, 40), in order.
std::vector<Point> turnedRectangle(float width, float height, float angle) {
    std::vector<Point> corners;
    for (auto [u, v] : {std::pair(-0.5F, -0.5F), {0.5F, -0.5F}, {0.5F, 0.5F}, {-0.5F, 0.5F}}) {
        float const x = u * width, y = v * height;
        corners.push_back(
            {50 + x * std::cos(angle) - y * std::sin(angle), 40 + x * std::sin(angle) + y * std::cos(angle)});
    }
    return corners;
}

void expectPoints(std::vector<Point> const& found, std::vector<Point> const& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (size_t i = 0; i < found.size(); ++i) {
        EXPECT_EQ(found[i].x, expected[i].x) << i;
        EXPECT_EQ(found[i].y, expected[i].y) << i;
    }
}

TEST(Geometry, TheHullOfAGridIsItsFourCorners) {
    expectPoints(convexHull(std::vector<Span>(5, {0, 6}), 10), {{6, 10}, {6, 14}, {0, 14}, {0, 10}});
}

TEST(Geometry, AHullHasNoDentsAndNoCornersOnItsSides) {
    expectPoints(convexHull({{3, 7}, {5, 8}, {1, 9}, {4, 6}, {2, 7}}, 0),
                 {{7, 0}, {9, 2}, {7, 4}, {2, 4}, {1, 2}, {3, 0}});
}

TEST(Geometry, ARectangleAtAnyAngleIsFoundAgain) {
    for (float degrees : {0.0F, 3.0F, 20.0F, 44.0F, 71.0F, 89.0F}) {
        std::vector<Point> points = turnedRectangle(60, 12, degrees * float(M_PI) / 180);
        RotatedRect const rect = minAreaRect(points);
        EXPECT_NEAR(std::max(rect.width, rect.height), 60, 1e-3) << degrees;
        EXPECT_NEAR(std::min(rect.width, rect.height), 12, 1e-3) << degrees;
        EXPECT_NEAR(rect.center.x, 50, 1e-3) << degrees;
        EXPECT_NEAR(rect.center.y, 40, 1e-3) << degrees;
    }
}

TEST(Geometry, CornersStartAtTheTopLeftAndGoClockwise) {
    std::vector<Point> points = turnedRectangle(60, 12, 0.1F);
    Quad const quad = minAreaRect(points).corners();
    EXPECT_NEAR(quad[0].x, 50 - 30 * std::cos(0.1F) + 6 * std::sin(0.1F), 1e-3);
    EXPECT_NEAR(quad[0].y, 40 - 30 * std::sin(0.1F) - 6 * std::cos(0.1F), 1e-3);
    EXPECT_NEAR(distance(quad[0], quad[1]), 60, 1e-3);
    EXPECT_NEAR(distance(quad[1], quad[2]), 12, 1e-3);
    EXPECT_LT(quad[0].y, quad[3].y);
}

TEST(Geometry, GrowingMovesEverySideByTheSameDistance) {
    RotatedRect const rect = RotatedRect{{10, 10}, {1, 0}, 8, 4}.grown(3);
    Quad const quad = rect.corners();
    EXPECT_FLOAT_EQ(quad[0].x, 10 - 4 - 3);
    EXPECT_FLOAT_EQ(quad[0].y, 10 - 2 - 3);
    EXPECT_FLOAT_EQ(quad[2].x, 10 + 4 + 3);
    EXPECT_FLOAT_EQ(quad[2].y, 10 + 2 + 3);
}

TEST(Geometry, APointAndALineGiveARectangleWithoutArea) {
    EXPECT_EQ(minAreaRect(convexHull({}, 0)).area(), 0);
    EXPECT_EQ(minAreaRect(convexHull({{3, 3}}, 4)).perimeter(), 0);
    RotatedRect const rect = minAreaRect(convexHull({{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}}, 0));
    EXPECT_NEAR(std::max(rect.width, rect.height), 5 * std::sqrt(2.0F), 1e-4);
    EXPECT_NEAR(std::min(rect.width, rect.height), 0, 1e-4);
}

} // namespace
} // namespace ocr
