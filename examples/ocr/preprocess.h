// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "image.h"

#include <cstdint>
#include <vector>

namespace ocr {

struct Tensor {
    std::vector<int64_t> shape;
    std::vector<float> values;
};

// The sizes that the engines are built for.
constexpr int kDetectorStep = 32;          // the detector requires sides that are multiples of this
constexpr int kLargestDetectorSide = 2048; // larger images are reduced for detection
constexpr int kTextHeight = 48;            // the recognizer requires lines of text of this height
constexpr int kShortestText = 32;
constexpr int kLongestText = 2560;
constexpr int kMostTexts = 8; // per batch

// Image → [1,3,H,W], blue, green, red from -1 to 1. The shorter side becomes at least 736 if the longer one allows it:
// smaller text is missed.
Tensor detectionInput(Image const& picture);

// The width of a line of text at the recognizer's height.
int textWidth(Image const& text);

// Lines of text → [N,3,48,W], blue, green, red from -1 to 1, padded with 0 on the right.
Tensor recognitionInput(std::vector<Image const*> const& texts);

} // namespace ocr
