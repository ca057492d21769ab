// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "preprocess.h"

#include <gtest/gtest.h>

namespace ocr {
namespace {

Image filled(int width, int height, Color color) {
    Image image(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) std::copy(color.begin(), color.end(), image.at(x, y));
    return image;
}

using Shape = std::vector<int64_t>;

TEST(Preprocess, TheDetectorSeesBlueGreenRedFromMinusOneToOne) {
    Tensor const input = detectionInput(filled(736, 736, {255, 0, 51}));
    ASSERT_EQ(input.shape, (Shape{1, 3, 736, 736}));
    size_t const plane = 736 * 736;
    EXPECT_NEAR(input.values[0], 51 / 127.5 - 1, 1e-6);
    EXPECT_NEAR(input.values[plane], -1, 1e-6);
    EXPECT_NEAR(input.values[3 * plane - 1], 1, 1e-6);
}

TEST(Preprocess, TheShorterSideBecomes736AndBothMultiplesOf32) {
    EXPECT_EQ(detectionInput(filled(960, 580, {})).shape, (Shape{1, 3, 736, 1216}));
    EXPECT_EQ(detectionInput(filled(580, 960, {})).shape, (Shape{1, 3, 1216, 736}));
    EXPECT_EQ(detectionInput(filled(1000, 800, {})).shape, (Shape{1, 3, 800, 992}));
}

TEST(Preprocess, NoSideLeavesTheRangeOfTheEngine) {
    EXPECT_EQ(detectionInput(filled(4096, 3072, {})).shape, (Shape{1, 3, 1536, 2048}));
    EXPECT_EQ(detectionInput(filled(3000, 10, {})).shape, (Shape{1, 3, 32, 2048}));
    EXPECT_EQ(detectionInput(filled(1, 1, {})).shape, (Shape{1, 3, 736, 736}));
}

TEST(Preprocess, TextsOfABatchAreAsWideAsTheWidest) {
    Image const narrow = filled(60, 30, {255, 255, 255}), wide = filled(600, 30, {0, 0, 0});
    Tensor const input = recognitionInput({&narrow, &wide});
    ASSERT_EQ(input.shape, (Shape{2, 3, 48, 960}));
    EXPECT_NEAR(input.values[95], 1, 1e-6) << "the last column of the narrow text, 60 * 48 / 30 wide";
    EXPECT_EQ(input.values[96], 0) << "filled up";
    EXPECT_NEAR(input.values[size_t(3) * 48 * 960], -1, 1e-6) << "the second text";
}

TEST(Preprocess, AShortTextIsFilledUpAndALongOnePressedTogether) {
    Image const one = filled(10, 10, {}), endless = filled(9000, 30, {});
    EXPECT_EQ(recognitionInput({&one}).shape, (Shape{1, 3, 48, 320}));
    EXPECT_EQ(recognitionInput({&endless}).shape, (Shape{1, 3, 48, kLongestText}));
    EXPECT_EQ(textWidth(filled(1, 100, {})), kShortestText);
}

} // namespace
} // namespace ocr
