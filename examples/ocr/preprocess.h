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
constexpr int kDetectorStep = 32;          // the detector takes sides that are multiples of this
constexpr int kLargestDetectorSide = 2048; // larger pictures are made smaller for detection
constexpr int kTextHeight = 48;            // the recognizer takes lines of text of this height
constexpr int kShortestText = 32;
constexpr int kLongestText = 2560;
constexpr int kMostTexts = 8; // at once

// Picture → [1,3,H,W], blue, green, red from -1 to 1. The shorter side becomes at least 736, where the longer one
// allows it: smaller text is missed.
Tensor detectionInput(Image const& picture);

// How wide a line of text is at the recognizer's height.
int textWidth(Image const& text);

// Lines of text → [N,3,48,W], blue, green, red from -1 to 1, filled up with 0 at the right.
Tensor recognitionInput(std::vector<Image const*> const& texts);

} // namespace ocr
