// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "yolo_layer/formulas.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tenon::plugins {
namespace {

float square(float x) { return x * x; }

// Those that are not seen, or lie outside of their box, are -1.
void writeKeypoint(YoloForm const& form, YoloCandidate const& candidate, float const* box, int64_t first,
                   float* keypoint) {
    float const step = candidate.map->columnStep, confidence = sigmoid(candidate[first + 2]);
    float const x = (candidate[first] * 2 + candidate.column) * step,
                y = (candidate[first + 1] * 2 + candidate.row) * step;
    bool const isInside = x >= box[0] && x <= box[2] && y >= box[1] && y <= box[3];
    bool const isSeen = confidence >= form.keypointThreshold && isInside;
    keypoint[0] = isSeen ? x : -1;
    keypoint[1] = isSeen ? y : -1;
    keypoint[2] = isSeen ? confidence : -1;
}

// Of a turned box the centre, width and height; returns the angle.
float writeTurnedBox(YoloForm const& form, YoloCandidate const& candidate, float* box) {
    float const step = candidate.map->columnStep;
    float const angle = (sigmoid(candidate[4 + form.classes]) - 0.25F) * std::numbers::pi_v<float>;
    float const x = (candidate[2] - candidate[0]) / 2, y = (candidate[3] - candidate[1]) / 2;
    box[0] = (candidate.column + 0.5F + x * std::cos(angle) - y * std::sin(angle)) * step;
    box[1] = (candidate.row + 0.5F + x * std::sin(angle) + y * std::cos(angle)) * step;
    box[2] = (candidate[0] + candidate[2]) * step;
    box[3] = (candidate[1] + candidate[3]) * step;
    return angle;
}

} // namespace

YoloClass classOf(YoloCandidate const& candidate, int64_t first, int32_t count, bool isLogit) {
    Best const best = bestOf(candidate.numbers + first * candidate.step, count, candidate.step);
    if (best.index < 0) return {0, 0};
    return {float(best.index), isLogit ? sigmoid(best.score) : best.score};
}

void writeAnchorBox(YoloForm const& form, YoloCandidate const& candidate, float* box) {
    YoloClass const best = classOf(candidate, 5, form.classes, true);
    box[0] = (candidate.column - 0.5F + 2 * sigmoid(candidate[0])) * candidate.map->columnStep;
    box[1] = (candidate.row - 0.5F + 2 * sigmoid(candidate[1])) * candidate.map->rowStep;
    box[2] = square(2 * sigmoid(candidate[2])) * candidate.anchorWidth();
    box[3] = square(2 * sigmoid(candidate[3])) * candidate.anchorHeight();
    box[4] = sigmoid(candidate[4]) * best.score;
    box[5] = best.index;
}

void writeAnchorFreeBox(YoloForm const& form, YoloCandidate const& candidate, float* box) {
    YoloClass const best = classOf(candidate, 4, form.classes, true);
    float const step = candidate.map->columnStep, x = candidate.column + 0.5F, y = candidate.row + 0.5F;
    box[0] = (x - candidate[0]) * step;
    box[1] = (y - candidate[1]) * step;
    box[2] = (x + candidate[2]) * step;
    box[3] = (y + candidate[3]) * step;
    box[4] = best.score;
    box[5] = best.index;
    int64_t const keypoints = YoloForm::kBoxSize + form.roomForMask;
    for (int64_t i = 0; form.hasKeypoints && i < form.keypoints(); ++i)
        writeKeypoint(form, candidate, box, 4 + form.classes + 3 * i, box + keypoints + 3 * i);
    if (form.hasAngle) box[keypoints + form.roomForKeypoints] = writeTurnedBox(form, candidate, box);
}

void writeFourTensors(YoloForm const& form, YoloCandidate const& candidate, float* box, float* score, int32_t* index) {
    Best const best = bestOf(candidate.numbers + 5 * candidate.step, form.classes, candidate.step);
    float const x = (candidate[0] * 2 - 0.5F + candidate.column) * candidate.map->columnStep;
    float const y = (candidate[1] * 2 - 0.5F + candidate.row) * candidate.map->rowStep;
    float const width = square(candidate[2] * 2) * candidate.anchorWidth() / 2;
    float const height = square(candidate[3] * 2) * candidate.anchorHeight() / 2;
    float const corners[] = {x - width, y - height, x + width, y + height};
    std::copy_n(corners, 4, box);
    bool const hasClass = best.index >= 0 && best.score > 0;
    *score = hasClass ? candidate[4] * best.score : 0;
    *index = hasClass ? best.index : -1;
}

void writePlace(YoloForm const& form, YoloFields const& fields, YoloCandidate const& candidate, float* box) {
    bool const isLogit = fields.newCoords == 0;
    YoloMap const& map = *candidate.map;
    YoloClass const best = classOf(candidate, 5, form.classes, isLogit);
    auto const part = [&](int64_t i) { return isLogit ? sigmoid(candidate[i]) : candidate[i]; };
    auto const offset = [&](int64_t i) { return fields.scaleXY * part(i) - (fields.scaleXY - 1) / 2; };
    auto const grown = [&](int64_t i) { return isLogit ? std::exp(candidate[i]) : square(candidate[i]) * 4; };
    box[2] = grown(2) * candidate.anchorWidth() / (float(map.width) * map.columnStep);
    box[3] = grown(3) * candidate.anchorHeight() / (float(map.height) * map.rowStep);
    box[0] = (candidate.column + offset(0)) / float(map.width) - box[2] / 2;
    box[1] = (candidate.row + offset(1)) / float(map.height) - box[3] / 2;
    box[4] = part(4);
    box[5] = best.index;
    box[6] = best.score;
}

} // namespace tenon::plugins
