// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "text_boxes.h"

#include "../image.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>

namespace ocr {
namespace {

// A map of 0 with rectangles of other probabilities.
class Map {
public:
    Map(int width, int height) : width_(width), height_(height), values_(size_t(width) * height) {}

    Map& paint(int left, int top, int width, int height, float probability) {
        for (int y = top; y < top + height; ++y)
            for (int x = left; x < left + width; ++x) at(x, y) = probability;
        return *this;
    }

    float& at(int x, int y) { return values_[size_t(y) * width_ + x]; }

    std::vector<TextBox> find(BoxRules const& rules) const {
        return TextBoxFinder(rules).find({values_.data(), height_, width_});
    }

private:
    int width_, height_;
    std::vector<float> values_;
};

BoxRules withoutDilation() {
    BoxRules rules;
    rules.useDilation = 0;
    return rules;
}

void expectCorners(Quad const& quad, float left, float top, float right, float bottom) {
    Quad const expected = {Point{left, top}, Point{right, top}, Point{right, bottom}, Point{left, bottom}};
    for (size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(quad[i].x, expected[i].x, 1e-3) << "corner " << i;
        EXPECT_NEAR(quad[i].y, expected[i].y, 1e-3) << "corner " << i;
    }
}

TEST(TextBoxes, ACoreGrowsByAreaTimesRatioOverPerimeter) {
    auto const boxes = Map(100, 50).paint(20, 10, 41, 11, 0.9F).find(withoutDilation());
    ASSERT_EQ(boxes.size(), 1);
    float const grown = 40 * 10 * 1.6F / (2 * (40 + 10)); // between pixel centres
    expectCorners(boxes[0].corners, 20 - grown, 10 - grown, 60 + grown, 20 + grown);
    EXPECT_NEAR(boxes[0].score, 0.9F, 1e-6);
}

TEST(TextBoxes, DilationAddsAColumnAtTheRightAndARowBelow) {
    BoxRules rules;
    rules.unclipRatio = 0;
    rules.boxThreshold = 0;
    auto const boxes = Map(100, 50).paint(20, 10, 41, 11, 0.9F).find(rules);
    ASSERT_EQ(boxes.size(), 1);
    expectCorners(boxes[0].corners, 20, 10, 61, 21);
    EXPECT_NEAR(boxes[0].score, 0.9F * 41 * 11 / (42 * 12), 1e-6);
}

TEST(TextBoxes, CoresThatTouchAtACornerAreOne) {
    Map map = Map(100, 50).paint(10, 10, 10, 10, 0.9F).paint(20, 20, 10, 10, 0.9F);
    BoxRules rules = withoutDilation();
    rules.boxThreshold = 0;
    EXPECT_EQ(map.find(rules).size(), 1);
}

TEST(TextBoxes, CoresThatAreAPixelApartAreTwoUnlessDilated) {
    Map map = Map(100, 50).paint(10, 10, 20, 10, 0.9F).paint(31, 10, 20, 10, 0.9F);
    EXPECT_EQ(map.find(withoutDilation()).size(), 2);
    EXPECT_EQ(map.find(BoxRules{}).size(), 1);
}

TEST(TextBoxes, BranchesThatMeetFurtherDownAreOneCore) {
    Map map = Map(100, 50).paint(10, 5, 5, 20, 0.9F).paint(30, 5, 5, 20, 0.9F).paint(10, 25, 25, 5, 0.9F);
    BoxRules rules = withoutDilation();
    rules.boxThreshold = 0;
    EXPECT_EQ(map.find(rules).size(), 1);
}

TEST(TextBoxes, ATurnedCoreGivesATurnedBox) {
    Map map(100, 100);
    for (int i = 0; i < 40; ++i)
        for (int d = -4; d <= 4; ++d) map.at(20 + i + d, 20 + i - d) = map.at(20 + i + d, 21 + i - d) = 0.9F;
    auto const boxes = map.find(withoutDilation());
    ASSERT_EQ(boxes.size(), 1);
    float const length = 39.5F * std::sqrt(2.0F), width = 8.5F * std::sqrt(2.0F);
    float const grown = length * width * 1.6F / (2 * (length + width));
    Quad const& corners = boxes[0].corners; // the band runs down to the right
    EXPECT_NEAR(distance(corners[0], corners[1]), length + 2 * grown, 0.01);
    EXPECT_NEAR(distance(corners[1], corners[2]), width + 2 * grown, 0.01);
    EXPECT_NEAR(corners[1].y - corners[0].y, corners[1].x - corners[0].x, 0.01);
}

TEST(TextBoxes, FaintSmallAndEmptyGiveNoBox) {
    EXPECT_TRUE(Map(100, 50).paint(20, 10, 40, 10, 0.4F).find(BoxRules{}).empty()) << "mean below box_thresh";
    EXPECT_TRUE(Map(100, 50).paint(20, 10, 40, 2, 0.9F).find(withoutDilation()).empty()) << "a thin line";
    EXPECT_TRUE(Map(100, 50).paint(20, 10, 1, 1, 0.9F).find(BoxRules{}).empty()) << "a dot";
    EXPECT_TRUE(Map(100, 50).find(BoxRules{}).empty()) << "nothing";
    EXPECT_TRUE(Map(0, 0).find(BoxRules{}).empty()) << "no map";
}

TEST(TextBoxes, NotANumberIsNoText) { EXPECT_TRUE(Map(40, 40).paint(0, 0, 40, 40, NAN).find(BoxRules{}).empty()); }

TEST(TextBoxes, AMapFullOfTextIsOneBox) {
    auto const boxes = Map(64, 32).paint(0, 0, 64, 32, 1).find(BoxRules{});
    ASSERT_EQ(boxes.size(), 1);
    EXPECT_NEAR(boxes[0].score, 1, 1e-6);
}

TEST(TextBoxes, CandidatesAreCountedFromTheTop) {
    BoxRules rules = withoutDilation();
    rules.maxCandidates = 2;
    Map map = Map(100, 90).paint(10, 60, 30, 10, 0.9F).paint(60, 35, 30, 10, 0.9F).paint(10, 10, 30, 10, 0.9F);
    auto const boxes = map.find(rules);
    ASSERT_EQ(boxes.size(), 2);
    EXPECT_LT(boxes[0].corners[0].y, boxes[1].corners[0].y);
    EXPECT_LT(boxes[1].corners[2].y, 60);
}

TEST(TextBoxes, AFinderForgetsTheMapBefore) {
    std::vector<float> const text(100 * 50, 0.9F), nothing(20 * 20, 0.0F);
    TextBoxFinder finder{BoxRules{}};
    EXPECT_EQ(finder.find({text.data(), 50, 100}).size(), 1);
    EXPECT_EQ(finder.find({nothing.data(), 20, 20}).size(), 0);
    EXPECT_EQ(finder.find({text.data(), 50, 100}).size(), 1);
}

// See tests/make_reference.py. The reference truncates coordinates to integers, and its scores include the pixels under
// the outline.
TEST(TextBoxes, ARealMapGivesTheBoxesThatOpenCvFinds) {
    Image const picture = readPng("examples/ocr/tests/page_map.png");
    std::vector<float> map;
    for (int i = 0; i < picture.width * picture.height; ++i) map.push_back(float(picture.pixels[size_t(i) * 3]) / 255);
    TextBoxFinder finder{BoxRules{}};
    auto boxes = finder.find({map.data(), picture.height, picture.width});
    std::sort(boxes.begin(), boxes.end(),
              [](TextBox const& a, TextBox const& b) { return a.corners[0].y < b.corners[0].y; });

    std::ifstream reference("examples/ocr/tests/page_boxes.txt");
    TextBox expected{};
    auto readBox = [&] {
        for (Point& corner : expected.corners) reference >> corner.x >> corner.y;
        return bool(reference >> expected.score);
    };
    size_t count = 0;
    for (; readBox(); ++count) {
        ASSERT_LT(count, boxes.size());
        for (size_t i = 0; i < 4; ++i)
            EXPECT_LT(distance(boxes[count].corners[i], expected.corners[i]), 2.5F) << "box " << count;
        EXPECT_NEAR(boxes[count].score, expected.score, 0.07) << "box " << count;
    }
    EXPECT_EQ(count, 7);
    EXPECT_EQ(boxes.size(), count);
}

} // namespace
} // namespace ocr
