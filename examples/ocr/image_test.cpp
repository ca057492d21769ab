// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "image.h"

#include <gtest/gtest.h>

#include <png.h>

#include <cmath>
#include <cstdio>
#include <fstream>

namespace ocr {
namespace {

// Red grows with x, green with y.
Image ramp(int width, int height) {
    Image image(width, height);
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            image.at(x, y)[0] = uint8_t(4 * x);
            image.at(x, y)[1] = uint8_t(4 * y);
        }
    return image;
}

std::filesystem::path scratchFile(std::string const& name) {
    return std::filesystem::path(testing::TempDir()) / ("ocr_image_test_" + name);
}

std::string whatReadingSays(std::filesystem::path const& file) {
    try {
        readPng(file);
    } catch (std::runtime_error const& error) {
        return error.what();
    }
    return "nothing";
}

// Writes one row of pixels of any PNG kind with libpng's low-level interface.
void writeRow(std::filesystem::path const& file, int colorType, int bits, std::vector<uint8_t> row, int width) {
    std::FILE* const out = std::fopen(file.c_str(), "wb");
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = png_create_info_struct(png);
    png_init_io(png, out);
    png_set_IHDR(png, info, png_uint_32(width), 1, bits, colorType, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    std::vector<png_color> const palette = {{10, 20, 30}, {200, 150, 100}};
    if (colorType == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, palette.data(), int(palette.size()));
    png_write_info(png, info);
    png_write_row(png, row.data());
    png_write_end(png, info);
    png_destroy_write_struct(&png, &info);
    std::fclose(out);
}

using Pixels = std::vector<uint8_t>;

TEST(Image, WhatIsWrittenIsReadAgain) {
    auto const file = scratchFile("round_trip.png");
    Image const image = ramp(31, 7);
    writePng(file, image);
    Image const again = readPng(file);
    EXPECT_EQ(again.width, 31);
    EXPECT_EQ(again.height, 7);
    EXPECT_EQ(again.pixels, image.pixels);
}

TEST(Image, EveryKindOfPngBecomesRgb) {
    auto const file = scratchFile("kinds.png");
    writeRow(file, PNG_COLOR_TYPE_GRAY, 8, {0, 100, 255}, 3);
    EXPECT_EQ(readPng(file).pixels, (Pixels{0, 0, 0, 100, 100, 100, 255, 255, 255})) << "grey";
    writeRow(file, PNG_COLOR_TYPE_GRAY, 1, {0b01000000}, 2);
    EXPECT_EQ(readPng(file).pixels, (Pixels{0, 0, 0, 255, 255, 255})) << "black and white";
    writeRow(file, PNG_COLOR_TYPE_GRAY, 16, {0x80, 0x80, 0xff, 0xff}, 2);
    EXPECT_EQ(readPng(file).pixels, (Pixels{128, 128, 128, 255, 255, 255})) << "grey, 16 bits";
    writeRow(file, PNG_COLOR_TYPE_RGB, 16, {1, 1, 2, 2, 3, 3}, 1);
    EXPECT_EQ(readPng(file).pixels, (Pixels{1, 2, 3})) << "RGB, 16 bits";
    writeRow(file, PNG_COLOR_TYPE_PALETTE, 8, {1, 0}, 2);
    EXPECT_EQ(readPng(file).pixels, (Pixels{200, 150, 100, 10, 20, 30})) << "palette";
    writeRow(file, PNG_COLOR_TYPE_RGB_ALPHA, 8, {9, 8, 7, 255, 9, 8, 7, 0}, 2);
    EXPECT_EQ(readPng(file).pixels, (Pixels{9, 8, 7, 255, 255, 255})) << "transparent is white";
}

TEST(Image, WhatIsNoPngIsRefusedWithItsName) {
    EXPECT_EQ(whatReadingSays("no/such.png"), "no/such.png: cannot be read: No such file or directory");
    auto const file = scratchFile("broken.png");
    std::ofstream(file) << "GIF89a and so on";
    EXPECT_EQ(whatReadingSays(file), file.string() + ": cannot be read as a PNG image: Not a PNG file");
}

TEST(Image, ATruncatedPngIsRefused) {
    auto const file = scratchFile("truncated.png");
    writePng(file, ramp(60, 60));
    std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
    EXPECT_EQ(whatReadingSays(file).rfind(file.string() + ": is damaged: ", 0), 0) << whatReadingSays(file);
}

TEST(Image, ATinyFileThatClaimsAHugePictureIsRefused) {
    // A signature, the header of a grey image of 20000 x 20000, and an empty chunk of pixels, with their checksums.
    Pixels const bytes = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44,
                          0x52, 0x00, 0x00, 0x4e, 0x20, 0x00, 0x00, 0x4e, 0x20, 0x08, 0x00, 0x00, 0x00, 0x00, 0xc6,
                          0x1b, 0x19, 0xe5, 0x00, 0x00, 0x00, 0x00, 0x49, 0x44, 0x41, 0x54, 0x35, 0xaf, 0x06, 0x1e};
    auto const file = scratchFile("huge.png");
    std::ofstream(file, std::ios::binary).write(reinterpret_cast<char const*>(bytes.data()), std::ssize(bytes));
    EXPECT_EQ(whatReadingSays(file), file.string() + ": is 20000 x 20000 pixels; at most 100 million are read");
}

TEST(Image, MakingALinearRampLargerKeepsItLinear) {
    Image const large = resized(ramp(20, 10), 60, 30);
    for (int x = 2; x < 58; ++x) EXPECT_NEAR(large.at(x, 15)[0], 4 * ((float(x) + 0.5F) / 3 - 0.5F), 0.51) << x;
    for (int y = 2; y < 28; ++y) EXPECT_NEAR(large.at(30, y)[1], 4 * ((float(y) + 0.5F) / 3 - 0.5F), 0.51) << y;
}

TEST(Image, MakingAPictureSmallerAveragesAllOfIt) {
    Image stripes(64, 8);
    for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 64; x += 2) stripes.at(x, y)[0] = 200;
    Image const small = resized(stripes, 8, 8);
    for (int x = 1; x < 7; ++x) EXPECT_NEAR(small.at(x, 4)[0], 100, 1) << x;
}

TEST(Image, TheSameSizeIsTheSamePicture) { EXPECT_EQ(resized(ramp(13, 9), 13, 9).pixels, ramp(13, 9).pixels); }

TEST(Image, AnUprightCropIsThatPart) {
    Image const crop = cropped(ramp(40, 30), {Point{10, 5}, Point{22, 5}, Point{22, 9}, Point{10, 9}});
    ASSERT_EQ(crop.width, 12);
    ASSERT_EQ(crop.height, 4);
    for (int y = 0; y < 4; ++y)
        for (int x = 0; x < 12; ++x) {
            EXPECT_EQ(crop.at(x, y)[0], 4 * (10 + x));
            EXPECT_EQ(crop.at(x, y)[1], 4 * (5 + y));
        }
}

TEST(Image, ACropBetweenPixelsTakesTheMiddle) {
    Image const crop = cropped(ramp(40, 30), {Point{10.5, 5.5}, Point{20.5, 5.5}, Point{20.5, 9.5}, Point{10.5, 9.5}});
    EXPECT_EQ(crop.at(3, 2)[0], 4 * 13 + 2);
    EXPECT_EQ(crop.at(3, 2)[1], 4 * 7 + 2);
}

TEST(Image, ACropOfAnEdgeStaysWithinAByte) {
    Image edge(20, 4); // cubic weights overshoot beside an edge
    for (int y = 0; y < 4; ++y)
        for (int x = 10; x < 20; ++x) edge.at(x, y)[0] = 255;
    Image const crop = cropped(edge, {Point{4.3F, 1}, Point{16.3F, 1}, Point{16.3F, 2}, Point{4.3F, 2}});
    EXPECT_EQ(crop.at(4, 0)[0], 0) << "at 8.3";
    EXPECT_EQ(crop.at(7, 0)[0], 255) << "at 11.3";
}

TEST(Image, ATurnedCropFollowsItsSides) {
    // A quarter turn to the right: the crop's x runs down the image.
    Image const crop = cropped(ramp(40, 30), {Point{20, 5}, Point{20, 17}, Point{16, 17}, Point{16, 5}});
    ASSERT_EQ(crop.width, 12);
    ASSERT_EQ(crop.height, 4);
    EXPECT_EQ(crop.at(3, 2)[0], 4 * (20 - 2));
    EXPECT_EQ(crop.at(3, 2)[1], 4 * (5 + 3));
}

TEST(Image, ACropBeyondTheEdgeRepeatsTheEdge) {
    Image const crop = cropped(ramp(40, 30), {Point{-5, -5}, Point{5, -5}, Point{5, 5}, Point{-5, 5}});
    EXPECT_EQ(crop.at(0, 0)[0], 0);
    EXPECT_EQ(crop.at(8, 8)[0], 4 * 3);
}

TEST(Image, TurningLeftFourTimesIsNothing) {
    Image const image = ramp(5, 3);
    Image const left = turnedLeft(image);
    EXPECT_EQ(left.width, 3);
    EXPECT_EQ(left.at(0, 0)[0], image.at(4, 0)[0]) << "the right end is on top";
    EXPECT_EQ(turnedLeft(turnedLeft(turnedLeft(left))).pixels, image.pixels);
}

TEST(Image, DrawingStaysInsideThePicture) {
    Image image(10, 10);
    drawQuad(image, {Point{-20, 3}, Point{30, 3}, Point{30, 40}, Point{-20, 40}}, {255, 0, 0});
    for (int x = 0; x < 10; ++x) {
        EXPECT_EQ(image.at(x, 2)[0], 0);
        EXPECT_EQ(image.at(x, 3)[0], 255);
        EXPECT_EQ(image.at(x, 6)[0], 0);
    }
}

} // namespace
} // namespace ocr
