// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "family.h"
#include "scores.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace tenon::plugins::efficient_nms {
namespace {

enum class BoxCoding : int32_t {
    kCorners = 0,    // x1, y1, x2, y2
    kCenterSize = 1, // x, y, width, height
};

// What the network says of a box relative to its anchor, made absolute, in the coding of both. Of corners, the smaller
// coordinates of both belong together, and so do the larger ones.
void decode(BoxCoding coding, float const* anchor, float* box) {
    if (coding == BoxCoding::kCorners) {
        for (int i = 0; i < 2; ++i) {
            float const low = std::min(box[i], box[i + 2]) + std::min(anchor[i], anchor[i + 2]);
            box[i + 2] = std::max(box[i], box[i + 2]) + std::max(anchor[i], anchor[i + 2]);
            box[i] = low;
        }
        return;
    }
    for (int i = 0; i < 2; ++i) {
        box[i] = box[i] * anchor[i + 2] + anchor[i];
        box[i + 2] = std::exp(box[i + 2]) * anchor[i + 2];
    }
}

Box corners(BoxCoding coding, float const* box) {
    if (coding == BoxCoding::kCorners) return {box[0], box[1], box[2], box[3]};
    float const halfWidth = box[2] / 2, halfHeight = box[3] / 2;
    return {box[0] - halfWidth, box[1] - halfHeight, box[0] + halfWidth, box[1] + halfHeight};
}

} // namespace

void Family::check() const {
    if (boxCoding_ != 0 && boxCoding_ != 1)
        throw std::invalid_argument(std::string(codingField()) + " has to be 0, corners, or 1, center and size");
}

void Family::select(Tensors inputs, int64_t most, int64_t mostOfAClass) {
    NmsRules rules;
    rules.overlapLimit = justBelow(iouThreshold_);
    rules.perPicture = most;
    rules.scoreLimit = justBelow(scoreActivation_ ? logit(scoreThreshold_) : scoreThreshold_);
    if (mostOfAClass >= 0) rules.perClass = mostOfAClass;
    rules.background = backgroundClass_;
    rules.classesCompete = classAgnostic_ != 0;
    nms_.runByPicture(rules, Scores(inputs[1]),
                      [&](int64_t picture, Candidate const& candidate) { return boxOf(inputs, picture, candidate); });
}

Box Family::boxOf(Tensors inputs, int64_t picture, Candidate const& candidate) const {
    float box[4];
    std::copy_n(BoxTensor(inputs[0]).at(picture, candidate), 4, box);
    auto const coding = BoxCoding(boxCoding_);
    if (inputs.size() == 3) {
        int64_t const pictureOfAnchors = inputs[2][0] == 1 ? 0 : picture;
        decode(coding, BoxTensor(inputs[2]).at(pictureOfAnchors, candidate), box);
    }
    return corners(coding, box);
}

void Family::writePicture(Tensors inputs, Tensors outputs, int64_t picture) {
    int64_t const most = outputs[1][1], first = picture * most;
    std::fill_n(outputs[1].floats() + first * 4, most * 4, 0.0F);
    std::fill_n(outputs[2].floats() + first, most, 0.0F);
    std::fill_n(outputs[3].ints() + first, most, 0);
    int64_t const count = nms_.visit(picture, [&](int64_t i, Candidate const& kept) {
        Box const box = boxOf(inputs, picture, kept);
        float* edge = outputs[1].floats() + (first + i) * 4;
        for (float value : {box.x1, box.y1, box.x2, box.y2})
            *edge++ = clipBoxes_ ? std::clamp(value, 0.0F, 1.0F) : value;
        outputs[2].floats()[first + i] = scoreActivation_ ? sigmoid(kept.score) : kept.score;
        outputs[3].ints()[first + i] = kept.label;
    });
    outputs[0].ints()[picture] = int32_t(count);
}

void Family::write(Tensors inputs, Tensors outputs) {
    parallelFor(inputs[0][0], 1, [&](int64_t begin, int64_t end) {
        for (int64_t picture = begin; picture < end; ++picture) writePicture(inputs, outputs, picture);
    });
}

} // namespace tenon::plugins::efficient_nms
