// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// BatchedNMS_TRT, BatchedNMSDynamic_TRT: of each class the surest boxes that do not overlap a surer one, and of those
// the surest of each picture.
#include "boxes.h"
#include "plugin.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

void require(bool holds, char const* what) {
    if (!holds) throw std::invalid_argument(what);
}

class BatchedNms final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("shareLocation", shareLocation_);
        visit("backgroundLabelId", backgroundLabelId_);
        visit("numClasses", numClasses_);
        visit("topK", topK_);
        visit("keepTopK", keepTopK_);
        visit("scoreThreshold", scoreThreshold_);
        visit("iouThreshold", iouThreshold_);
        visit("isNormalized", isNormalized_);
        visit("clipBoxes", clipBoxes_);
        visit("scoreBits", scoreBits_);
        visit("caffeSemantics", caffeSemantics_);
    }

    void check() const override {
        require(numClasses_ > 0, "numClasses has to be given, 1 or more");
        require(topK_ > 0, "topK has to be given, 1 or more");
        require(keepTopK_ > 0 && keepTopK_ <= topK_, "keepTopK has to be given, 1 to topK");
    }

    Signature signature() const override {
        return Signature()
            .input("boxes", "[B,N,1,4]|[B,N,C,4]")
            .input("scores", "[B,N,C]|[B,N,C,1]")
            .output("num_detections", "[B,1]", Kind::kInt32)
            .output("nmsed_boxes", "[B,keepTopK,4]")
            .output("nmsed_scores", "[B,keepTopK]")
            .output("nmsed_classes", "[B,keepTopK]");
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const classes = inputs[1].d[2], boxes = inputs[0].d[2];
        if (classes >= 0 && classes != numClasses_)
            throw std::invalid_argument("the scores are of " + std::to_string(classes) + " classes, numClasses is " +
                                        std::to_string(numClasses_));
        int64_t const expected = shareLocation_ ? 1 : numClasses_;
        if (boxes >= 0 && boxes != expected)
            throw std::invalid_argument("there are " + std::to_string(boxes) + " boxes at each place; expected " +
                                        std::to_string(expected) + ", because shareLocation is " +
                                        std::to_string(shareLocation_));
    }

    void run(Tensors inputs, Tensors outputs) override {
        for (int64_t picture = 0; picture < inputs[1][0]; ++picture) {
            kept_.clear();
            for (int32_t label = 0; label < numClasses_; ++label) {
                if (label != backgroundLabelId_) selectOfClass(inputs, picture, label);
            }
            sortByScore(kept_);
            if (kept_.size() > size_t(keepTopK_)) kept_.resize(size_t(keepTopK_));
            write(inputs, outputs, picture);
        }
    }

private:
    void selectOfClass(Tensors inputs, int64_t picture, int32_t label) {
        Tensor const& scores = inputs[1]; // [B,N,C]
        float const* score = scores.floats() + picture * scores[1] * numClasses_ + label;
        candidates_.clear();
        for (int32_t box = 0; box < scores[1]; ++box, score += numClasses_) {
            if (*score > scoreThreshold_) candidates_.push_back({*score, box, label});
        }
        sortByScore(candidates_);
        if (candidates_.size() > size_t(topK_)) candidates_.resize(size_t(topK_));

        float const border = isNormalized_ ? 0 : 1;
        Borders const borders{border, caffeSemantics_ ? border : 0};
        size_t const first = kept_.size();
        for (Candidate const& candidate : candidates_) {
            Box const box = boxOf(candidate, inputs[0], picture);
            bool const suppressed =
                std::any_of(kept_.begin() + ptrdiff_t(first), kept_.end(), [&](Candidate const& surer) {
                    return overlap(boxOf(surer, inputs[0], picture), box, borders) > iouThreshold_;
                });
            if (!suppressed) kept_.push_back(candidate);
        }
    }

    // boxes [B,N,1,4] or [B,N,C,4]
    Box boxOf(Candidate const& candidate, Tensor const& boxes, int64_t picture) const {
        int64_t const place = (picture * boxes[1] + candidate.box) * boxes[2] + (shareLocation_ ? 0 : candidate.label);
        float const* const box = boxes.floats() + place * 4;
        return {box[0], box[1], box[2], box[3]};
    }

    // What is left of the outputs becomes 0, of the classes -1.
    void write(Tensors inputs, Tensors outputs, int64_t picture) const {
        outputs[0].ints()[picture] = int32_t(kept_.size());
        float* edge = outputs[1].floats() + picture * keepTopK_ * 4;
        float* score = outputs[2].floats() + picture * keepTopK_;
        float* label = outputs[3].floats() + picture * keepTopK_;
        for (size_t i = 0; i < size_t(keepTopK_); ++i) {
            bool const isLeft = i >= kept_.size();
            Box const box = isLeft ? Box{} : boxOf(kept_[i], inputs[0], picture);
            for (float value : {box.x1, box.y1, box.x2, box.y2})
                *edge++ = clipBoxes_ ? std::clamp(value, 0.0F, 1.0F) : value;
            *score++ = isLeft ? 0 : kept_[i].score;
            *label++ = isLeft ? -1 : float(kept_[i].label);
        }
    }

    int32_t shareLocation_ = 1;
    int32_t backgroundLabelId_ = -1;
    int32_t numClasses_ = 0;
    int32_t topK_ = 0;
    int32_t keepTopK_ = 0;
    float scoreThreshold_ = 0;
    float iouThreshold_ = 0.5F;
    int32_t isNormalized_ = 1;
    int32_t clipBoxes_ = 1;
    int32_t scoreBits_ = 16; // how many bits a GPU sorts by; here, all
    int32_t caffeSemantics_ = 1;

    std::vector<Candidate> candidates_, kept_;
};

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<BatchedNms>("BatchedNMS_TRT", "1", PluginGeneration::kV2DynamicExt),
    definePlugin<BatchedNms>("BatchedNMSDynamic_TRT", "1", PluginGeneration::kV2DynamicExt),
};

} // namespace

std::span<PluginDefinition const> batchedNmsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
