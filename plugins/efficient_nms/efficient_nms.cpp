// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// EfficientNMS_TRT: the boxes of an image with sufficient scores that do not overlap a higher-scoring one.
// EfficientNMS_ONNX_TRT: their indices, as ONNX's operator NonMaxSuppression returns them, in rows of image, class and
// box. The number of rows is the field's maximum for an image; padding repeats the last box, and is -1 if there is
// none.
// EfficientNMS_Explicit_TF_TRT, EfficientNMS_Implicit_TF_TRT: TensorFlow's operator CombinedNonMaxSuppression; the
// second omits the extent 1 of num_detections.
// Versions real_size have no padding rows, EfficientNMS_ONNX_TRT included, which repeats none then.
#include "family.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using namespace efficient_nms;

template <Rows kRows> class EfficientNms final : public Family {
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
        Family::check();
    }

    Signature signature() const override {
        Signature all = Signature()
                            .input("boxes", "[B,N,4]|[B,N,1,4]|[B,N,C,4]")
                            .input("scores", "[B,N,C]|[B,N,C,1]")
                            .optionalInput("anchors", "[1,N,4]|[B,N,4]")
                            .output("num_detections", "[B,1]", Kind::kInt32)
                            .output("detection_boxes", shapeOfRows(kRows, kMost, ",4"), kindOfRows(kRows))
                            .output("detection_scores", shapeOfRows(kRows, kMost, ""), kindOfRows(kRows))
                            .output("detection_classes", shapeOfRows(kRows, kMost, ""), Kind::kInt32);
        return kRows == Rows::kReal ? all.output("rows", "[]", Kind::kInt32) : all;
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        if (kRows == Rows::kPadded) return;
        auto const* const most =
            combined(builder, nvinfer1::DimensionOperation::kPROD, inputs[1].d[0], builder.constant(maxOutputBoxes_));
        declareRows(builder, most, outputs, {1, 2, 3}, 4);
    }

    void run(Tensors inputs, Tensors outputs) override {
        detect(selection(maxOutputBoxes_, -1), kRows, inputs, outputs);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels)
            detectOnGpu(selection(maxOutputBoxes_, -1), kRows, inputs, outputs, workspace, stream);
    }

private:
    static constexpr char const* kMost = "max_output_boxes";

    int32_t maxOutputBoxes_ = 100;
};

template <Rows kRows> class EfficientNmsOnnx final : public Family {
public:
    void fields(FieldVisitor& visit) override {
        visit("score_threshold", scoreThreshold_);
        visit("iou_threshold", iouThreshold_);
        visit("max_output_boxes_per_class", most_);
        visit("center_point_box", boxCoding_);
    }

    void check() const override {
        if (most_ < 1) throw std::invalid_argument("max_output_boxes_per_class has to be given, 1 or more");
        Family::check();
    }

    Signature signature() const override {
        Signature all = Signature().input("boxes", "[B,N,4]|[B,N,1,4]|[B,N,C,4]").input("scores", "[B,N,C]|[B,N,C,1]");
        if (kRows == Rows::kPadded)
            return all.output("selected_indices", "[B*max_output_boxes_per_class,3]", Kind::kInt32);
        return all.output("selected_indices", "[?,3]", Kind::kInt32).output("rows", "[]", Kind::kInt32);
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        if (kRows == Rows::kPadded) return;
        using nvinfer1::DimensionOperation;
        nvinfer1::IDimensionExpr const* const* const scores = inputs[1].d;
        auto const* const ofClass = combined(builder, DimensionOperation::kMIN, scores[1], builder.constant(most_));
        auto const* const ofPicture = combined(builder, DimensionOperation::kPROD, scores[2], ofClass);
        declareRows(builder, combined(builder, DimensionOperation::kPROD, scores[0], ofPicture), outputs, {0}, 1);
    }

    void run(Tensors inputs, Tensors outputs) override {
        select(selection(), inputs);
        int32_t* row = outputs[0].ints();
        int32_t* const end = row + (kRows == Rows::kPadded ? outputs[0].count() : 0);
        for (int32_t picture = 0; picture < inputs[0][0]; ++picture) {
            nms_.visit(picture, [&](int64_t, Candidate const& kept) {
                for (int32_t number : {picture, kept.label, kept.box}) *row++ = number;
            });
        }
        if (kRows == Rows::kReal) {
            *outputs[1].ints() = int32_t((row - outputs[0].ints()) / 3);
            return;
        }
        bool const isThere = row != outputs[0].ints();
        for (; row != end; ++row) *row = isThere ? row[-3] : -1;
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        GpuPieces pieces;
        takeCount(pieces);
        return gpuNmsWorkspace(selection().rules, NmsExtents::of(largestInputs[1]), pieces);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) selectOnGpu(selection(), kRows, inputs, outputs, workspace, stream);
    }

private:
    /// If rows are padded, all classes of an image share the room of one.
    Selection selection() const { return Family::selection(kRows == Rows::kPadded ? most_ : kAll, most_); }

    char const* codingField() const override { return "center_point_box"; }

    int32_t most_ = -1;
};

enum class Batch { kExplicit, kImplicit };

template <Batch kBatch> class EfficientNmsTf final : public Family {
public:
    void fields(FieldVisitor& visit) override {
        visit("max_output_size_per_class", mostOfAClass_);
        visit("max_total_size", most_);
        visit("iou_threshold", iouThreshold_);
        visit("score_threshold", scoreThreshold_);
        visit("pad_per_class", padPerClass_);
        visit("clip_boxes", clipBoxes_);
    }

    void check() const override {
        if (most_ < 1) throw std::invalid_argument("max_total_size has to be 1 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("boxes", "[B,N,4]|[B,N,1,4]|[B,N,C,4]")
            .input("scores", "[B,N,C]|[B,N,C,1]")
            .output("num_detections", kBatch == Batch::kExplicit ? "[B,1]" : "[B]", Kind::kInt32)
            .output("detection_boxes", "[B,?,4]")
            .output("detection_scores", "[B,?]")
            .output("detection_classes", "[B,?]", Kind::kInt32);
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        using nvinfer1::DimensionOperation;
        auto const* most = builder.constant(most_);
        if (padPerClass_ && mostOfAClass_ > 0) {
            auto const* const ofAll =
                combined(builder, DimensionOperation::kPROD, builder.constant(mostOfAClass_), inputs[1].d[2]);
            most = combined(builder, DimensionOperation::kMIN, most, ofAll);
        }
        for (int32_t i = 1; i < 4; ++i) outputs[i].d[1] = most;
    }

    void run(Tensors inputs, Tensors outputs) override {
        detect(selection(outputs[1][1], mostOfAClass_), Rows::kPadded, inputs, outputs);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels)
            detectOnGpu(selection(outputs[1][1], mostOfAClass_), Rows::kPadded, inputs, outputs, workspace, stream);
    }

private:
    int32_t mostOfAClass_ = -1;
    int32_t most_ = 100;
    int32_t padPerClass_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<EfficientNms<Rows::kPadded>>("EfficientNMS_TRT", "1", PluginGeneration::kV2DynamicExt, "from 8.0"),
    standardPlugin<EfficientNms<Rows::kReal>>("EfficientNMS_TRT", kRealSize, PluginGeneration::kV3, ""),
    standardPlugin<EfficientNmsOnnx<Rows::kPadded>>("EfficientNMS_ONNX_TRT", "1", PluginGeneration::kV2DynamicExt,
                                                    "8.0 to 10.16"),
    standardPlugin<EfficientNmsOnnx<Rows::kReal>>("EfficientNMS_ONNX_TRT", kRealSize, PluginGeneration::kV3, ""),
    standardPlugin<EfficientNmsTf<Batch::kExplicit>>("EfficientNMS_Explicit_TF_TRT", "1",
                                                     PluginGeneration::kV2DynamicExt, "from 8.4"),
    standardPlugin<EfficientNmsTf<Batch::kImplicit>>("EfficientNMS_Implicit_TF_TRT", "1",
                                                     PluginGeneration::kV2DynamicExt, "from 8.4"),
};

} // namespace

std::span<StandardPlugin const> efficientNmsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
