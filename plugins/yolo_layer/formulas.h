// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formulas of boxes of YOLO networks; what they are, yolo_layer.cpp says.
#pragma once

#include "scores.h"
#include "yolo_layer/forms.h"

#include <cstdint>

namespace tenon::plugins {

/// One anchor of one place of a map: its numbers, which stand `step` apart.
struct YoloCandidate {
    float const* numbers;
    int64_t step;
    float row, column;
    YoloMap const* map;
    int64_t anchor;

    float operator[](int64_t index) const { return numbers[index * step]; }
    float anchorWidth() const { return map->anchors[size_t(anchor) * 2]; }
    float anchorHeight() const { return map->anchors[size_t(anchor) * 2 + 1]; }
};

/// A candidate's class and its score; class 0, score 0 where no score is a number.
struct YoloClass {
    float index, score;
};

/// \param first where the scores begin
/// \param isLogit whether the score is the sigmoid of what is there
YoloClass classOf(YoloCandidate const& candidate, int64_t first, int32_t count, bool isLogit);

/// A box of a counted layout: centre, width and height, or corners; confidence, class, then what there is room for.
/// What the form has not stays as it is.
/// \param box detectionSize() numbers
void writeAnchorBox(YoloForm const& form, YoloCandidate const& candidate, float* box);
void writeAnchorFreeBox(YoloForm const& form, YoloCandidate const& candidate, float* box);

/// Of kFourTensors. The numbers of these maps are between 0 and 1 already, as the network's last sigmoid leaves them.
/// \param box corners
/// \param index -1 where no class has a score above 0
void writeFourTensors(YoloForm const& form, YoloCandidate const& candidate, float* box, float* score, int32_t* index);

/// Of kAllPlaces, in parts of the picture: the upper left corner, width and height; confidence, class, its score.
/// \param box kYoloPlaceSize numbers
void writePlace(YoloForm const& form, YoloFields const& fields, YoloCandidate const& candidate, float* box);

} // namespace tenon::plugins
