// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// BatchedNMS_TRT, BatchedNMSDynamic_TRT: the highest-scoring boxes of each class after suppression of overlaps, and the
// highest-scoring of those of each image. Version real_size has no padding rows.
#include "batched_nms.h"

#include "gpu.h"
#include "nms.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

void require(bool holds, char const* what) {
    if (!holds) throw std::invalid_argument(what);
}

template <Rows kRows> class BatchedNms final : public GpuPlugin {
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
        require(keepTopK_ > 0, "keepTopK has to be given, 1 or more");
    }

    Signature signature() const override {
        Signature all = Signature()
                            .input("boxes", "[B,N,1,4]|[B,N,C,4]")
                            .input("scores", "[B,N,C]|[B,N,C,1]")
                            .output("num_detections", "[B,1]", Kind::kInt32)
                            .output("nmsed_boxes", shapeOfRows(kRows, "keepTopK", ",4"), kindOfRows(kRows))
                            .output("nmsed_scores", shapeOfRows(kRows, "keepTopK", ""), kindOfRows(kRows))
                            .output("nmsed_classes", shapeOfRows(kRows, "keepTopK", ""), kindOfRows(kRows));
        return kRows == Rows::kReal ? all.output("rows", "[]", Kind::kInt32) : all;
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        if (kRows == Rows::kPadded) return;
        auto const* const most =
            combined(builder, nvinfer1::DimensionOperation::kPROD, inputs[1].d[0], builder.constant(keepTopK_));
        declareRows(builder, most, outputs, {1, 2, 3}, 4);
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const classes = inputs[1].d[2], boxes = inputs[0].d[2];
        if (classes >= 0 && classes != numClasses_)
            throw std::invalid_argument("the scores are of " + std::to_string(classes) + " classes, numClasses is " +
                                        std::to_string(numClasses_));
        int64_t const expected = shareLocation_ ? 1 : numClasses_;
        if (boxes >= 0 && boxes != expected)
            throw std::invalid_argument("there are " + std::to_string(boxes) + " boxes at each position; expected " +
                                        std::to_string(expected) + ", because shareLocation is " +
                                        std::to_string(shareLocation_));
    }

    void run(Tensors inputs, Tensors outputs) override {
        BoxTensor const boxes(inputs[0]);
        nms_.runByPicture(rules(), Scores(inputs[1]), [&](int64_t picture, Candidate const& candidate) {
            return boxes.corners(picture, candidate);
        });
        int64_t const rows = nms_.write(kRows, keepTopK_, [&](int64_t picture, int64_t first, int64_t end) {
            write(boxes, outputs, picture, first, end);
        });
        if (kRows == Rows::kReal) *outputs[4].ints() = int32_t(rows);
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        return gpuNmsWorkspace(rules(), NmsExtents::of(largestInputs[1]));
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) batchedNmsOnGpu(rules(), kRows, clipBoxes_ != 0, inputs, outputs, workspace, stream);
    }

private:
    NmsRules rules() const {
        NmsRules rules;
        rules.scoreLimit = scoreThreshold_;
        rules.overlapLimit = iouThreshold_;
        rules.candidates = topK_;
        rules.perPicture = keepTopK_;
        rules.background = backgroundLabelId_;
        float const border = isNormalized_ ? 0 : 1;
        rules.borders = {border, caffeSemantics_ ? border : 0};
        return rules;
    }

    // Padding of the outputs is 0, of the classes -1.
    void write(BoxTensor const& boxes, Tensors outputs, int64_t picture, int64_t first, int64_t end) {
        std::fill(outputs[1].floats() + first * 4, outputs[1].floats() + end * 4, 0.0F);
        std::fill(outputs[2].floats() + first, outputs[2].floats() + end, 0.0F);
        std::fill(outputs[3].floats() + first, outputs[3].floats() + end, -1.0F);
        int64_t const count = nms_.visit(picture, [&](int64_t i, Candidate const& kept) {
            float const* const box = boxes.at(picture, kept);
            std::transform(box, box + 4, outputs[1].floats() + (first + i) * 4,
                           [this](float edge) { return clipBoxes_ ? std::clamp(edge, 0.0F, 1.0F) : edge; });
            outputs[2].floats()[first + i] = kept.score;
            outputs[3].floats()[first + i] = float(kept.label);
        });
        outputs[0].ints()[picture] = int32_t(count);
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
    int32_t scoreBits_ = 16; // the number of bits by which the original sorts; here, all
    int32_t caffeSemantics_ = 1;
    Nms<KeptBoxes> nms_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<BatchedNms<Rows::kPadded>>("BatchedNMS_TRT", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16"),
    standardPlugin<BatchedNms<Rows::kPadded>>("BatchedNMSDynamic_TRT", "1", PluginGeneration::kV2DynamicExt,
                                              "7.2 to 10.16"),
    standardPlugin<BatchedNms<Rows::kReal>>("BatchedNMSDynamic_TRT", kRealSize, PluginGeneration::kV3, ""),
};

} // namespace

std::span<StandardPlugin const> batchedNmsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
