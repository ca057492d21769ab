// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "family.h"
#include "scores.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tenon::plugins::efficient_nms {

void Family::check() const {
    if (boxCoding_ != 0 && boxCoding_ != 1)
        throw std::invalid_argument(std::string(codingField()) + " has to be 0, corners, or 1, center and size");
}

Selection Family::selection(int64_t most, int64_t mostOfAClass) const {
    NmsRules rules;
    rules.overlapLimit = justBelow(iouThreshold_);
    rules.perPicture = most;
    rules.scoreLimit = justBelow(scoreActivation_ ? logit(scoreThreshold_) : scoreThreshold_);
    if (mostOfAClass >= 0) rules.perClass = mostOfAClass;
    rules.background = backgroundClass_;
    rules.classesCompete = classAgnostic_ != 0;
    return {rules, BoxCoding(boxCoding_), scoreActivation_ != 0, clipBoxes_ != 0};
}

void Family::select(Selection const& selection, Tensors inputs) {
    nms_.runByPicture(selection.rules, Scores(inputs[1]), Boxes<float>(inputs, selection.coding));
}

void Family::writePicture(Selection const& selection, Tensors inputs, Tensors outputs, int64_t picture, int64_t first,
                          int64_t end) {
    std::fill(outputs[1].floats() + first * 4, outputs[1].floats() + end * 4, 0.0F);
    std::fill(outputs[2].floats() + first, outputs[2].floats() + end, 0.0F);
    std::fill(outputs[3].ints() + first, outputs[3].ints() + end, 0);
    Boxes<float> const boxes(inputs, selection.coding);
    int64_t const count = nms_.visit(picture, [&](int64_t i, Candidate const& kept) {
        Box const box = boxes(picture, kept);
        float* edge = outputs[1].floats() + (first + i) * 4;
        for (float value : {box.x1, box.y1, box.x2, box.y2})
            *edge++ = selection.clipsBoxes ? std::clamp(value, 0.0F, 1.0F) : value;
        outputs[2].floats()[first + i] = selection.hasSigmoid ? sigmoid(kept.score) : kept.score;
        outputs[3].ints()[first + i] = kept.label;
    });
    outputs[0].ints()[picture] = int32_t(count);
}

void Family::detect(Selection const& selection, Rows rows, Tensors inputs, Tensors outputs) {
    select(selection, inputs);
    int64_t const all = nms_.write(rows, selection.rules.perPicture, [&](int64_t picture, int64_t first, int64_t end) {
        writePicture(selection, inputs, outputs, picture, first, end);
    });
    if (rows == Rows::kReal) *outputs[4].ints() = int32_t(all);
}

} // namespace tenon::plugins::efficient_nms
