// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugins/geometry.h"

#include <array>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ocr {

using Color = std::array<uint8_t, 3>; // red, green, blue

struct Image {
    int width = 0;
    int height = 0;
    std::vector<uint8_t> pixels; // height rows of width pixels of red, green, blue

    Image() = default;
    Image(int width, int height) : width(width), height(height), pixels(size_t(width) * height * 3) {}

    uint8_t* at(int x, int y) { return &pixels[(size_t(y) * width + x) * 3]; }
    uint8_t const* at(int x, int y) const { return &pixels[(size_t(y) * width + x) * 3]; }
};

// Reads a PNG of any kind: grey, palette and 16 bits become 8-bit RGB, transparent parts white. Throws
// std::runtime_error with the file's name and the error.
Image readPng(std::filesystem::path const& file);

void writePng(std::filesystem::path const& file, Image const& image);

// Draws the four sides of a quad, two pixels wide, clipped to the image.
void drawQuad(Image& image, Quad const& quad, Color color);

// The image at another size. Reduction averages the pixels that a new one covers; enlargement interpolates linearly
// between pixel centres.
Image resized(Image const& image, int width, int height);

// The part of an image inside a rotated rectangle, turned upright. The edge pixels continue beyond the edge.
Image cropped(Image const& image, Quad const& quad);

// Turned left by a right angle, to read text that runs downwards.
Image turnedLeft(Image const& image);

} // namespace ocr
