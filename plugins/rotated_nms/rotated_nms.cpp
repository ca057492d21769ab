// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Suppression of rotated boxes (x, y, width, height, angle in radians) by intersection over union, for networks of
// MMRotate exported by MMDeploy. NMSRotated: the kept boxes, in rows of image, class and box, without padding; image by
// image, class by class, by falling score. TRTBatchedRotatedNMS: the highest-scoring of each image, with their scores.
// With or without is_normalized, boxes have no borders. Padding of dets is 0, of labels -1.
#include "rotated_nms.h"

#include "gpu.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tenon::plugins {
namespace {

using namespace rotated_nms;

class NmsRotated final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("iou_threshold", iouThreshold_);
        visit("score_threshold", scoreThreshold_);
    }

    Signature signature() const override {
        return Signature()
            .input("boxes", "[B,N,5]")
            .input("scores", "[B,C,N]")
            .output("selected_indices", "[?,3]", Kind::kInt64)
            .output("count", "[]", Kind::kInt32);
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        auto const product = [&](nvinfer1::IDimensionExpr const* a, nvinfer1::IDimensionExpr const* b) {
            return combined(builder, nvinfer1::DimensionOperation::kPROD, a, b);
        };
        nvinfer1::IDimensionExpr const* const* const scores = inputs[1].d;
        nvinfer1::IDimensionExpr const* const most = product(product(scores[0], scores[1]), scores[2]);
        outputs[0].d[0] = builder.declareSizeTensor(1, *most, *most);
    }

    void run(Tensors inputs, Tensors outputs) override {
        Scores const scores(inputs[1], true);
        nms_.run(rules(), scores, Boxes<float>(inputs[0]));
        int64_t* row = outputs[0].longs();
        for (int64_t list = 0; list < scores.pictures * scores.classes; ++list) {
            nms_.visit(list, [&](int64_t, Candidate const& kept) {
                for (int64_t number : {list / scores.classes, int64_t(kept.label), int64_t(kept.box)}) *row++ = number;
            });
        }
        *outputs[1].ints() = int32_t((row - outputs[0].longs()) / 3);
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        NmsExtents const extents = extentsOf(largestInputs[1]);
        GpuPieces pieces;
        takeStarts(extents, pieces);
        return gpuNmsWorkspace(rules(), extents, pieces);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) selectOnGpu(rules(), inputs, outputs, workspace, stream);
    }

private:
    NmsRules rules() const {
        NmsRules rules;
        rules.scoreLimit = scoreThreshold_;
        rules.overlapLimit = iouThreshold_;
        return rules;
    }

    float iouThreshold_ = 0.5F;
    float scoreThreshold_ = 0;

    Nms<KeptRotatedBoxes> nms_;
};

class TrtBatchedRotatedNms final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("background_label_id", backgroundLabelId_);
        visit("num_classes", numClasses_);
        visit("topk", topK_);
        visit("keep_topk", keepTopK_);
        visit("score_threshold", scoreThreshold_);
        visit("iou_threshold", iouThreshold_);
        visit("is_normalized", isNormalized_);
        visit("clip_boxes", clipBoxes_);
    }

    void check() const override {
        if (keepTopK_ < 1) throw std::invalid_argument("keep_topk has to be given, 1 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("boxes", "[B,N,1,5]|[B,N,C,5]")
            .input("scores", "[B,N,C]")
            .output("dets", "[B,keep_topk,6]")
            .output("labels", "[B,keep_topk]", Kind::kInt32);
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const classes = inputs[1].d[2];
        if (classes >= 0 && classes != numClasses_)
            throw std::invalid_argument("the scores are of " + std::to_string(classes) + " classes, num_classes is " +
                                        std::to_string(numClasses_));
    }

    void run(Tensors inputs, Tensors outputs) override {
        Boxes<float> const boxes(inputs[0]);
        nms_.runByPicture(rules(), Scores(inputs[1]), boxes);
        parallelFor(inputs[0][0], 1, [&](int64_t begin, int64_t end) {
            for (int64_t picture = begin; picture < end; ++picture) write(boxes, outputs, picture);
        });
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        return gpuNmsWorkspace(rules(), NmsExtents::of(largestInputs[1]));
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) detectOnGpu(rules(), clipBoxes_ != 0, inputs, outputs, workspace, stream);
    }

private:
    NmsRules rules() const {
        NmsRules rules;
        rules.scoreLimit = scoreThreshold_;
        rules.overlapLimit = iouThreshold_;
        if (topK_ > 0) rules.candidates = topK_;
        rules.perPicture = keepTopK_;
        rules.background = backgroundLabelId_;
        return rules;
    }

    void write(Boxes<float> const& boxes, Tensors outputs, int64_t picture) {
        float* to = outputs[0].floats() + picture * keepTopK_ * 6;
        int32_t* label = outputs[1].ints() + picture * keepTopK_;
        auto const put = [&](Detection const& detection) {
            to = std::ranges::copy(detection.box, to).out;
            *to++ = detection.score;
            *label++ = detection.label;
        };
        int64_t const count = nms_.visit(picture, [&](int64_t, Candidate const& kept) {
            put(Detection::of(boxes(picture, kept), kept, clipBoxes_ != 0));
        });
        for (int64_t i = count; i < keepTopK_; ++i) put(Detection::none());
    }

    int32_t backgroundLabelId_ = 0;
    int32_t numClasses_ = 0;
    int32_t topK_ = 0; // 0 or less: all
    int32_t keepTopK_ = 0;
    float scoreThreshold_ = 0;
    float iouThreshold_ = 0;
    int32_t isNormalized_ = 0;
    int32_t clipBoxes_ = 1;

    Nms<KeptRotatedBoxes> nms_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<NmsRotated>("NMSRotated", "1", PluginGeneration::kV3, ""),
    standardPlugin<TrtBatchedRotatedNms>("TRTBatchedRotatedNMS", "1", PluginGeneration::kV2DynamicExt, ""),
};

} // namespace

std::span<StandardPlugin const> rotatedNmsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
