// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

// Common parts of the box search on the host, text_boxes.h, and on a GPU, text_boxes_gpu.h.
#include "geometry.h"

#include <cstdint>

namespace ocr {

// The parameters of "differentiable binarization" text detectors. Their map marks a shrunken core of each line of text,
// so a core's rectangle is grown by `unclipRatio` * area / perimeter.
struct BoxRules {
    float threshold = 0.3F;       // a pixel belongs to text above this probability
    float boxThreshold = 0.5F;    // boxes with a lower mean probability are dropped
    float unclipRatio = 1.6F;     // the growth of a core
    int32_t maxCandidates = 1000; // the maximum number of cores, from the top of the map
    int32_t useDilation = 1;      // non-zero: each text pixel also covers its right, lower and lower right neighbour
};

struct ProbabilityMap {
    float const* values; // height rows of width values
    int32_t height;
    int32_t width;
};

struct TextBox {
    Quad corners; // in pixels of the map; may extend a little beyond its edge
    float score;  // mean probability inside the core, 0 to 1
};

// Cores and boxes with a shorter side (in pixels of the map) are noise.
inline constexpr float kMinCoreSide = 3;
inline constexpr float kMinBoxSide = kMinCoreSide + 2;

// The box around a core.
OCR_ON_BOTH inline RotatedRect boxOf(RotatedRect const& core, BoxRules const& rules) {
    return core.grown(core.area() * rules.unclipRatio / core.perimeter());
}

} // namespace ocr
