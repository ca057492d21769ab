// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formulas of boxes of YOLO networks; see yolo_layer.cpp.
#pragma once

#include "gpu_finder.h"
#include "scores.h"
#include "yolo_layer/forms.h"

#include <cstdint>
#include <numbers>

namespace tenon::plugins {

/// One anchor of one position of a map: its elements, with a stride of `step`.
struct YoloCandidate {
    float const* numbers;
    int64_t step;
    float row, column;
    YoloGrid const* grid;
    float anchorWidth, anchorHeight;

    constexpr float operator[](int64_t index) const { return numbers[index * step]; }
    /// The best class.
    /// \param first index of the first score
    constexpr Best best(int64_t first, int32_t classes) const { return bestOf(numbers + first * step, classes, step); }
};

/// A few anchors of all positions of a map. Forms without anchors have one, whose size is not read.
struct YoloPart {
    static constexpr int64_t kMostAnchors = 3;

    YoloGrid grid;
    float const* first; ///< Index of the first anchor.
    int64_t ofPicture;  ///< Their number.
    int64_t ofAnchor;   ///< Elements for each of its positions.
    int64_t anchors;    ///< At most kMostAnchors.
    float sizes[2 * kMostAnchors];

    constexpr int64_t places() const { return grid.height * grid.width; }
    constexpr YoloCandidate candidate(int64_t picture, int64_t place, int64_t anchor) const {
        return {first + picture * ofPicture + anchor * ofAnchor * places() + place,
                places(),
                float(place / grid.width),
                float(place % grid.width),
                &grid,
                sizes[2 * anchor],
                sizes[2 * anchor + 1]};
    }
};

/// The candidates of all maps that are boxes. They are numbered by map, position and anchor.
struct YoloSearch {
    YoloLayout layout;
    int32_t classes;
    float leastScore; ///< Of a box, as stored in the map.
    int32_t parts;
    YoloPart part[kMostYoloMaps];
    int64_t firstOf[kMostYoloMaps + 1]; ///< The number of candidates before each part.

    constexpr int64_t count() const { return firstOf[parts]; }
    constexpr YoloCandidate candidate(int64_t picture, int64_t index) const {
        int32_t which = 0;
        while (index >= firstOf[which + 1]) ++which;
        YoloPart const& own = part[which];
        int64_t const inPart = index - firstOf[which];
        return own.candidate(picture, inPart / own.anchors, inPart % own.anchors);
    }
    constexpr bool isBox(int64_t picture, int64_t index) const {
        YoloCandidate const one = candidate(picture, index);
        return (layout == YoloLayout::kAnchorFree ? one.best(4, classes).score : one[4]) >= leastScore;
    }
};

/// A candidate's class and its score; class 0, score 0 if all scores are NaN.
struct YoloClass {
    float index, score;

    /// \param isLogit whether the score is the sigmoid of the element
    constexpr YoloClass(Best const& best, bool isLogit)
        : index(best.index < 0 ? 0 : float(best.index)),
          score(best.index < 0 ? 0 : (isLogit ? sigmoid(best.score) : best.score)) {}
};

namespace yolo {

constexpr float square(float x) { return x * x; }

// Those that are not visible, or outside of their box, are -1.
constexpr void writeKeypoint(float threshold, YoloCandidate const& candidate, float const* box, int64_t first,
                             float* keypoint) {
    float const step = candidate.grid->columnStep, confidence = sigmoid(candidate[first + 2]);
    float const x = (candidate[first] * 2 + candidate.column) * step,
                y = (candidate[first + 1] * 2 + candidate.row) * step;
    bool const isInside = x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
    bool const isSeen = confidence >= threshold && isInside;
    keypoint[0] = isSeen ? x : -1;
    keypoint[1] = isSeen ? y : -1;
    keypoint[2] = isSeen ? confidence : -1;
}

// For a rotated box the centre, width and height; returns the angle.
constexpr float writeTurnedBox(YoloBox const& form, YoloCandidate const& candidate, float* box) {
    float const step = candidate.grid->columnStep;
    float const angle = (sigmoid(candidate[4 + form.classes]) - 0.25F) * std::numbers::pi_v<float>;
    float const x = (candidate[2] - candidate[0]) / 2, y = (candidate[3] - candidate[1]) / 2;
    box[0] = (candidate.column + 0.5F + x * std::cos(angle) - y * std::sin(angle)) * step;
    box[1] = (candidate.row + 0.5F + x * std::sin(angle) + y * std::cos(angle)) * step;
    box[2] = (candidate[0] + candidate[2]) * step;
    box[3] = (candidate[1] + candidate[3]) * step;
    return angle;
}

constexpr void writeAnchorBox(YoloBox const& form, YoloCandidate const& candidate, float* box) {
    YoloClass const best(candidate.best(5, form.classes), true);
    box[0] = (candidate.column - 0.5F + 2 * sigmoid(candidate[0])) * candidate.grid->columnStep;
    box[1] = (candidate.row - 0.5F + 2 * sigmoid(candidate[1])) * candidate.grid->rowStep;
    box[2] = square(2 * sigmoid(candidate[2])) * candidate.anchorWidth;
    box[3] = square(2 * sigmoid(candidate[3])) * candidate.anchorHeight;
    box[4] = sigmoid(candidate[4]) * best.score;
    box[5] = best.index;
}

constexpr void writeAnchorFreeBox(YoloBox const& form, YoloCandidate const& candidate, float* box) {
    YoloClass const best(candidate.best(4, form.classes), true);
    float const step = candidate.grid->columnStep, x = candidate.column + 0.5F, y = candidate.row + 0.5F;
    box[0] = (x - candidate[0]) * step;
    box[1] = (y - candidate[1]) * step;
    box[2] = (x + candidate[2]) * step;
    box[3] = (y + candidate[3]) * step;
    box[4] = best.score;
    box[5] = best.index;
    int64_t const keypoints = YoloBox::kBoxSize + form.roomForMask;
    for (int64_t i = 0; form.hasKeypoints && i < form.keypoints(); ++i)
        writeKeypoint(form.keypointThreshold, candidate, box, 4 + form.classes + 3 * i, box + keypoints + 3 * i);
    if (form.hasAngle) box[keypoints + form.roomForKeypoints] = writeTurnedBox(form, candidate, box);
}

} // namespace yolo

/// A box of a counted layout: centre, width and height, or corners; confidence, class, then the optional parts. Parts
/// that the form does not have are not written.
/// \param box detectionSize() elements
constexpr void writeCountedBox(YoloBox const& form, YoloLayout layout, YoloCandidate const& candidate, float* box) {
    bool const hasAnchors = layout == YoloLayout::kAnchors;
    hasAnchors ? yolo::writeAnchorBox(form, candidate, box) : yolo::writeAnchorFreeBox(form, candidate, box);
    int64_t const mask = (hasAnchors ? 5 : 4) + form.classes;
    for (int64_t i = 0; form.hasMasks && i < YoloBox::kMaskSize; ++i) box[YoloBox::kBoxSize + i] = candidate[mask + i];
}

/// Of kFourTensors. The elements of these maps are between 0 and 1 already, after the network's last sigmoid.
/// \param box corners
/// \param index -1 if no class has a score above 0
constexpr void writeFourTensors(int32_t classes, YoloCandidate const& candidate, float* box, float* score,
                                int32_t* index) {
    Best const best = candidate.best(5, classes);
    float const x = (candidate[0] * 2 - 0.5F + candidate.column) * candidate.grid->columnStep;
    float const y = (candidate[1] * 2 - 0.5F + candidate.row) * candidate.grid->rowStep;
    float const width = yolo::square(candidate[2] * 2) * candidate.anchorWidth / 2;
    float const height = yolo::square(candidate[3] * 2) * candidate.anchorHeight / 2;
    box[0] = x - width;
    box[1] = y - height;
    box[2] = x + width;
    box[3] = y + height;
    bool const hasClass = best.index >= 0 && best.score > 0;
    *score = hasClass ? candidate[4] * best.score : 0;
    *index = hasClass ? best.index : -1;
}

/// Some anchors of kAllPlaces. Boxes are ordered by anchor, then by position.
struct YoloPlaces {
    static constexpr int64_t kBoxSize = kYoloPlaceSize;

    YoloPart part;
    int64_t firstAnchor, anchors; ///< Of the part, and all.
    int32_t classes;
    bool isLogit; ///< Whether the elements are logits.
    float scale;

    constexpr int64_t count() const { return part.anchors * part.places(); }

    /// Box `index` of the part: in fractions of the image, the upper left corner, width and height; confidence, class,
    /// its score.
    /// \param boxes those of all images
    constexpr void write(int64_t picture, int64_t index, float* boxes) const {
        int64_t const places = part.places();
        float* const box = boxes + ((picture * anchors + firstAnchor) * places + index) * kBoxSize;
        write(part.candidate(picture, index % places, index / places), box);
    }

private:
    constexpr void write(YoloCandidate const& candidate, float* box) const {
        YoloGrid const& map = *candidate.grid;
        YoloClass const best(candidate.best(5, classes), isLogit);
        auto const share = [&](int64_t i) { return isLogit ? sigmoid(candidate[i]) : candidate[i]; };
        auto const offset = [&](int64_t i) { return scale * share(i) - (scale - 1) / 2; };
        auto const grown = [&](int64_t i) { return isLogit ? std::exp(candidate[i]) : yolo::square(candidate[i]) * 4; };
        box[2] = grown(2) * candidate.anchorWidth / (float(map.width) * map.columnStep);
        box[3] = grown(3) * candidate.anchorHeight / (float(map.height) * map.rowStep);
        box[0] = (candidate.column + offset(0)) / float(map.width) - box[2] / 2;
        box[1] = (candidate.row + offset(1)) / float(map.height) - box[3] / 2;
        box[4] = share(4);
        box[5] = best.index;
        box[6] = best.score;
    }
};

/// Enqueues the computation of the outputs.
/// \param finder for all candidates of each image
void yoloCountedOnGpu(YoloBox const& form, int32_t mostBoxes, YoloSearch const& search, GpuFinder const& finder,
                      PluginBase::Tensors outputs, cudaStream_t stream);
void yoloFourTensorsOnGpu(YoloSearch const& search, GpuFinder const& finder, PluginBase::Tensors outputs,
                          cudaStream_t stream);
void yoloPlacesOnGpu(YoloPlaces const& places, PluginBase::Tensor const& output, cudaStream_t stream);

} // namespace tenon::plugins
