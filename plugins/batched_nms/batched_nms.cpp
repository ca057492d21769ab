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
        int64_t const pictures = inputs[1][0], classes = pictures * numClasses_;
        candidates_.resize(std::max(candidates_.size(), size_t(classes)));
        keptOfClass_.resize(std::max(keptOfClass_.size(), size_t(classes)));
        kept_.resize(std::max(kept_.size(), size_t(pictures)));
        parallelFor(classes, rowsPerThread(inputs[1][1]), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                selectOfClass(inputs, i, candidates_[size_t(begin)], keptOfClass_[size_t(i)]);
        });
        parallelFor(pictures, 1, [&](int64_t begin, int64_t end) {
            for (int64_t picture = begin; picture < end; ++picture) {
                selectOfPicture(picture, kept_[size_t(begin)]);
                write(inputs, outputs, picture, kept_[size_t(begin)]);
            }
        });
    }

private:
    using Candidates = std::vector<Candidate>;

    void selectOfPicture(int64_t picture, Candidates& kept) const {
        kept.clear();
        auto const first = keptOfClass_.begin() + picture * numClasses_;
        for (auto each = first; each != first + numClasses_; ++each)
            kept.insert(kept.end(), each->begin(), each->end());
        sortByScore(kept);
        if (kept.size() > size_t(keepTopK_)) kept.resize(size_t(keepTopK_));
    }

    // `index` counts the classes of all pictures.
    void selectOfClass(Tensors inputs, int64_t index, Candidates& candidates, Candidates& kept) const {
        int64_t const picture = index / numClasses_;
        auto const label = int32_t(index % numClasses_);
        kept.clear();
        if (label == backgroundLabelId_) return;
        Tensor const& scores = inputs[1]; // [B,N,C]
        float const* score = scores.floats() + picture * scores[1] * numClasses_ + label;
        candidates.clear();
        for (int32_t box = 0; box < scores[1]; ++box, score += numClasses_) {
            if (*score > scoreThreshold_) candidates.push_back({*score, box, label});
        }
        sortByScore(candidates);
        if (candidates.size() > size_t(topK_)) candidates.resize(size_t(topK_));

        float const border = isNormalized_ ? 0 : 1;
        Borders const borders{border, caffeSemantics_ ? border : 0};
        for (Candidate const& candidate : candidates) {
            Box const box = boxOf(candidate, inputs[0], picture);
            bool const suppressed = std::ranges::any_of(kept, [&](Candidate const& surer) {
                return overlap(boxOf(surer, inputs[0], picture), box, borders) > iouThreshold_;
            });
            if (!suppressed) kept.push_back(candidate);
        }
    }

    // boxes [B,N,1,4] or [B,N,C,4]
    Box boxOf(Candidate const& candidate, Tensor const& boxes, int64_t picture) const {
        int64_t const place = (picture * boxes[1] + candidate.box) * boxes[2] + (shareLocation_ ? 0 : candidate.label);
        float const* const box = boxes.floats() + place * 4;
        return {box[0], box[1], box[2], box[3]};
    }

    // What is left of the outputs becomes 0, of the classes -1.
    void write(Tensors inputs, Tensors outputs, int64_t picture, Candidates const& kept) const {
        outputs[0].ints()[picture] = int32_t(kept.size());
        float* edge = outputs[1].floats() + picture * keepTopK_ * 4;
        float* score = outputs[2].floats() + picture * keepTopK_;
        float* label = outputs[3].floats() + picture * keepTopK_;
        for (size_t i = 0; i < size_t(keepTopK_); ++i) {
            bool const isLeft = i >= kept.size();
            Box const box = isLeft ? Box{} : boxOf(kept[i], inputs[0], picture);
            for (float value : {box.x1, box.y1, box.x2, box.y2})
                *edge++ = clipBoxes_ ? std::clamp(value, 0.0F, 1.0F) : value;
            *score++ = isLeft ? 0 : kept[i].score;
            *label++ = isLeft ? -1 : float(kept[i].label);
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

    // Scratch memory of a part is under the number of its first class or picture.
    std::vector<Candidates> candidates_, keptOfClass_, kept_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<BatchedNms>("BatchedNMS_TRT", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16"),
    standardPlugin<BatchedNms>("BatchedNMSDynamic_TRT", "1", PluginGeneration::kV2DynamicExt, "7.2 to 10.16"),
};

} // namespace

std::span<StandardPlugin const> batchedNmsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
