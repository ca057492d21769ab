// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "preprocess.h"

#include <algorithm>
#include <cmath>

namespace ocr {
namespace {

constexpr float kShortDetectorSide = 736;
constexpr int kUsualTextWidth = 320; // the recognizer's training width: shorter texts are padded to this

int toDetectorSide(float size) {
    int const steps = int(std::lround(size / kDetectorStep));
    return std::clamp(steps * kDetectorStep, kDetectorStep, kLargestDetectorSide);
}

// Writes an image into planes [3,height,width] of blue, green and red, the order of the networks' training.
void fillPlanes(Image const& image, float* planes, int width) {
    size_t const planeSize = size_t(image.height) * width;
    for (int y = 0; y < image.height; ++y)
        for (int x = 0; x < image.width; ++x)
            for (int c = 0; c < 3; ++c)
                planes[(2 - c) * planeSize + size_t(y) * width + x] = float(image.at(x, y)[c]) / 127.5F - 1;
}

} // namespace

Tensor detectionInput(Image const& picture) {
    auto const shorter = float(std::min(picture.width, picture.height));
    auto const longer = float(std::max(picture.width, picture.height));
    float const scale = std::min(std::max(1.0F, kShortDetectorSide / shorter), kLargestDetectorSide / longer);
    Image const scaled =
        resized(picture, toDetectorSide(float(picture.width) * scale), toDetectorSide(float(picture.height) * scale));
    Tensor input{{1, 3, scaled.height, scaled.width}, std::vector<float>(scaled.pixels.size())};
    fillPlanes(scaled, input.values.data(), scaled.width);
    return input;
}

int textWidth(Image const& text) {
    float const width = std::ceil(float(kTextHeight) * float(text.width) / float(text.height));
    return int(std::clamp(width, float(kShortestText), float(kLongestText)));
}

Tensor recognitionInput(std::vector<Image const*> const& texts) {
    int width = kUsualTextWidth;
    for (Image const* text : texts) width = std::max(width, textWidth(*text));
    size_t const textSize = size_t(3) * kTextHeight * width;
    Tensor input{{int64_t(texts.size()), 3, kTextHeight, width}, std::vector<float>(texts.size() * textSize)};
    for (size_t i = 0; i < texts.size(); ++i)
        fillPlanes(resized(*texts[i], textWidth(*texts[i]), kTextHeight), &input.values[i * textSize], width);
    return input;
}

} // namespace ocr
