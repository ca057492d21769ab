// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "geometry.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ocr {
namespace {

// The corners of a rectangle around (50, 40), and points inside it.
std::vector<Point> turnedRectangle(float width, float height, float angle) {
    std::vector<Point> points;
    for (float u : {-0.5F, 0.0F, 0.5F})
        for (float v : {-0.5F, 0.0F, 0.5F}) {
            float const x = u * width, y = v * height;
            points.push_back(
                {50 + x * std::cos(angle) - y * std::sin(angle), 40 + x * std::sin(angle) + y * std::cos(angle)});
        }
    return points;
}

TEST(Geometry, TheHullOfAGridIsItsFourCorners) {
    std::vector<Point> grid;
    for (int y = 0; y < 5; ++y)
        for (int x = 0; x < 7; ++x) grid.push_back({float(x), float(y)});
    std::vector<Point> const hull = convexHull(grid);
    ASSERT_EQ(hull.size(), 4);
    float twiceArea = 0;
    for (size_t i = 0; i < 4; ++i) twiceArea += hull[i].x * hull[(i + 1) % 4].y - hull[i].y * hull[(i + 1) % 4].x;
    EXPECT_FLOAT_EQ(std::abs(twiceArea), 2 * 6 * 4);
}

TEST(Geometry, ARectangleAtAnyAngleIsFoundAgain) {
    for (float degrees : {0.0F, 3.0F, 20.0F, 44.0F, 71.0F, 89.0F}) {
        std::vector<Point> points = turnedRectangle(60, 12, degrees * float(M_PI) / 180);
        RotatedRect const rect = minAreaRect(convexHull(points));
        EXPECT_NEAR(std::max(rect.width, rect.height), 60, 1e-3) << degrees;
        EXPECT_NEAR(std::min(rect.width, rect.height), 12, 1e-3) << degrees;
        EXPECT_NEAR(rect.center.x, 50, 1e-3) << degrees;
        EXPECT_NEAR(rect.center.y, 40, 1e-3) << degrees;
    }
}

TEST(Geometry, CornersStartAtTheTopLeftAndGoClockwise) {
    std::vector<Point> points = turnedRectangle(60, 12, 0.1F);
    Quad const quad = minAreaRect(convexHull(points)).corners();
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
    std::vector<Point> none, point = {{3, 4}}, twice = {{3, 4}, {3, 4}}, line = {{0, 0}, {1, 1}, {5, 5}, {3, 3}};
    EXPECT_EQ(minAreaRect(convexHull(none)).area(), 0);
    EXPECT_EQ(minAreaRect(convexHull(point)).perimeter(), 0);
    EXPECT_EQ(minAreaRect(convexHull(twice)).perimeter(), 0);
    RotatedRect const rect = minAreaRect(convexHull(line));
    EXPECT_NEAR(std::max(rect.width, rect.height), 5 * std::sqrt(2.0F), 1e-4);
    EXPECT_NEAR(std::min(rect.width, rect.height), 0, 1e-4);
}

} // namespace
} // namespace ocr
