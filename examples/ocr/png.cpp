// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "files.h"
#include "image.h"

#include <png.h>

#include <stdexcept>
#include <string>

namespace ocr {
namespace {

constexpr uint64_t kMostPixels = 100'000'000; // larger than any page; a file of a few bytes can claim to be larger

std::runtime_error wrongFile(std::filesystem::path const& file, std::string const& what) {
    return std::runtime_error(file.string() + ": " + what);
}

} // namespace

Image readPng(std::filesystem::path const& file) {
    std::string const content = readFile(file);
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_memory(&png, content.data(), content.size()) == 0)
        throw wrongFile(file, std::string("cannot be read as a PNG image: ") + png.message);
    png.format = PNG_FORMAT_RGB;
    png.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    if (uint64_t(png.width) * png.height > kMostPixels) {
        png_image_free(&png);
        throw wrongFile(file, "is " + std::to_string(png.width) + " x " + std::to_string(png.height) +
                                  " pixels; at most 100 million are read");
    }
    Image image(int(png.width), int(png.height));
    png_color const white{255, 255, 255};
    if (png_image_finish_read(&png, &white, image.pixels.data(), 0, nullptr) == 0)
        throw wrongFile(file, std::string("is damaged: ") + png.message);
    return image;
}

void writePng(std::filesystem::path const& file, Image const& image) {
    png_image png{};
    png.version = PNG_IMAGE_VERSION;
    png.width = png_uint_32(image.width);
    png.height = png_uint_32(image.height);
    png.format = PNG_FORMAT_RGB;
    if (png_image_write_to_file(&png, file.c_str(), 0, image.pixels.data(), 0, nullptr) == 0)
        throw wrongFile(file, std::string("cannot be written: ") + png.message);
}

} // namespace ocr
