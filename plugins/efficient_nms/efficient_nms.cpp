// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// EfficientNMS_TRT: the boxes of a picture that are sure enough and do not overlap a surer one.
#include "boxes.h"
#include "plugin.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tenon::plugins {
namespace {

enum class BoxCoding : int32_t {
    kCorners = 0,    // x1, y1, x2, y2
    kCenterSize = 1, // x, y, width, height
};

float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }

// The x with sigmoid(x) == y.
float logit(float y) {
    if (y <= 0) return std::numeric_limits<float>::lowest();
    return y < 1 ? std::log(y / (1 - y)) : std::numeric_limits<float>::infinity();
}

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

class EfficientNms final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("score_threshold", scoreThreshold_);
        visit("iou_threshold", iouThreshold_);
        visit("max_output_boxes", maxOutputBoxes_);
        visit("background_class", backgroundClass_);
        visit("score_activation", scoreActivation_);
        visit("class_agnostic", classAgnostic_);
        visit("box_coding", boxCoding_);
    }

    void check() const override {
        if (maxOutputBoxes_ < 1) throw std::invalid_argument("max_output_boxes has to be 1 or more");
        if (boxCoding_ != 0 && boxCoding_ != 1)
            throw std::invalid_argument("box_coding has to be 0, corners, or 1, center and size");
    }

    Signature signature() const override {
        return Signature()
            .input("boxes", "[B,N,4]|[B,N,1,4]|[B,N,C,4]")
            .input("scores", "[B,N,C]|[B,N,C,1]")
            .optionalInput("anchors", "[1,N,4]|[B,N,4]")
            .output("num_detections", "[B,1]", Kind::kInt32)
            .output("detection_boxes", "[B,max_output_boxes,4]")
            .output("detection_scores", "[B,max_output_boxes]")
            .output("detection_classes", "[B,max_output_boxes]", Kind::kInt32);
    }

    void run(Tensors inputs, Tensors outputs) override {
        int64_t const pictures = inputs[0][0];
        scratch_.resize(std::max(scratch_.size(), size_t(pictures)));
        parallelFor(pictures, 1, [&](int64_t begin, int64_t end) {
            Scratch& scratch = scratch_[size_t(begin)];
            for (int64_t picture = begin; picture < end; ++picture) {
                findCandidates(inputs[1], picture, scratch.candidates);
                sortByScore(scratch.candidates);
                selectBoxes(inputs, picture, scratch);
                write(outputs, picture, scratch.detections);
            }
        });
    }

private:
    struct Detection {
        Candidate candidate;
        Box box;
    };
    struct Scratch {
        std::vector<Candidate> candidates;
        std::vector<Detection> detections;
    };

    // scores [B,N,C] → the candidates of one picture
    void findCandidates(Tensor const& scores, int64_t picture, std::vector<Candidate>& candidates) const {
        int64_t const boxes = scores[1], classes = scores[2];
        float const least = scoreActivation_ ? logit(scoreThreshold_) : scoreThreshold_;
        float const* score = scores.floats() + picture * boxes * classes;
        candidates.clear();
        for (int32_t box = 0; box < boxes; ++box) {
            for (int32_t label = 0; label < classes; ++label, ++score) {
                if (*score >= least && label != backgroundClass_) candidates.push_back({*score, box, label});
            }
        }
    }

    void selectBoxes(Tensors inputs, int64_t picture, Scratch& scratch) const {
        std::vector<Detection>& detections = scratch.detections;
        detections.clear();
        for (Candidate const& candidate : scratch.candidates) {
            if (int32_t(detections.size()) == maxOutputBoxes_) return;
            Box const box = boxOf(candidate, inputs, picture);
            bool const suppressed = std::ranges::any_of(detections, [&](Detection const& surer) {
                return (classAgnostic_ || surer.candidate.label == candidate.label) &&
                       overlap(surer.box, box) >= iouThreshold_;
            });
            if (!suppressed) detections.push_back({candidate, box});
        }
    }

    // boxes [B,N,4], [B,N,1,4] or [B,N,C,4], anchors [1,N,4] or [B,N,4]
    Box boxOf(Candidate const& candidate, Tensors inputs, int64_t picture) const {
        Tensor const& boxes = inputs[0];
        int64_t const each = boxes.rank() == 4 ? boxes[2] : 1; // boxes at one place
        int64_t const place = picture * boxes[1] + candidate.box;
        float box[4];
        std::copy_n(boxes.floats() + (place * each + (each > 1 ? candidate.label : 0)) * 4, 4, box);
        auto const coding = BoxCoding(boxCoding_);
        if (inputs.size() == 3) {
            Tensor const& anchors = inputs[2];
            decode(coding, anchors.floats() + (anchors[0] == 1 ? candidate.box : place) * 4, box);
        }
        return corners(coding, box);
    }

    // What is left of the outputs becomes zero.
    void write(Tensors outputs, int64_t picture, std::vector<Detection> const& detections) const {
        int64_t const most = maxOutputBoxes_;
        outputs[0].ints()[picture] = int32_t(detections.size());
        float* box = std::fill_n(outputs[1].floats() + picture * most * 4, most * 4, 0.0F) - most * 4;
        float* score = std::fill_n(outputs[2].floats() + picture * most, most, 0.0F) - most;
        int32_t* label = std::fill_n(outputs[3].ints() + picture * most, most, 0) - most;
        for (Detection const& detection : detections) {
            for (float edge : {detection.box.x1, detection.box.y1, detection.box.x2, detection.box.y2}) *box++ = edge;
            *score++ = scoreActivation_ ? sigmoid(detection.candidate.score) : detection.candidate.score;
            *label++ = detection.candidate.label;
        }
    }

    float scoreThreshold_ = 0.5F;
    float iouThreshold_ = 0.5F;
    int32_t maxOutputBoxes_ = 100;
    int32_t backgroundClass_ = -1;
    int32_t scoreActivation_ = 0;
    int32_t classAgnostic_ = 0;
    int32_t boxCoding_ = 0;

    std::vector<Scratch> scratch_; // that of a part is under the number of its first picture
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<EfficientNms>("EfficientNMS_TRT", "1", PluginGeneration::kV2DynamicExt, "from 8.0")};

} // namespace

std::span<StandardPlugin const> efficientNmsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
