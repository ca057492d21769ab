// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// NMS_TRT, NMSDynamic_TRT: the detections of SSD (Liu et al., "SSD: Single Shot MultiBox Detector", section 2.2; its
// layer DetectionOutput): boxes relative to prior boxes, and of each class the highest-scoring after suppression of
// overlaps. With the prior's centre (px, py), size (pw, ph) and edges, and the network's location l, each times its
// variance v unless the target includes it, a box is, by codeType,
//
//   0  CORNER       each edge plus l
//   1  CENTER_SIZE  the centre (px + l0 * pw, py + l1 * ph), the size (pw * exp(l2), ph * exp(l3))
//   2  CORNER_SIZE  each edge plus l times the prior's width or height
//   3  TF_CENTER    as 1, with y and height before x and width in l, but not in v; always with variances
//
// Inputs, in the order of inputOrder: locations [B,4*N,1,1], or [B,4*C*N,1,1] with a box for each class; scores
// [B,C*N,1,1]; priors [B,2,4*N,1], corners and then variances. A detection is image, class, score, x1, y1, x2, y2,
// clipped to 0 to 1. Padding has class -1, else 0. keepCount is of type FLOAT as in the original: its bits are those of
// an INT32. Version real_size has no padding, [D,7].
#include "ssd_nms.h"

#include "gpu.h"
#include "scores.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using namespace ssd_nms;

void require(bool holds, char const* what) {
    if (!holds) throw std::invalid_argument(what);
}

/// kSamePriors: the default of isBatchAgnostic.
template <int32_t kSamePriors, Rows kRows> class SsdNms final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("shareLocation", shareLocation_);
        visit("varianceEncodedInTarget", varianceEncodedInTarget_);
        visit("backgroundLabelId", backgroundLabelId_);
        visit("numClasses", numClasses_);
        visit("topK", topK_);
        visit("keepTopK", keepTopK_);
        visit("confidenceThreshold", confidenceThreshold_);
        visit("nmsThreshold", nmsThreshold_);
        visit("inputOrder", inputOrder_);
        visit("confSigmoid", confSigmoid_);
        visit("isNormalized", isNormalized_);
        visit("codeType", codeType_);
        visit("scoreBits", scoreBits_);
        visit("isBatchAgnostic", isBatchAgnostic_);
    }

    void check() const override {
        require(numClasses_ > 0, "numClasses has to be given, 1 or more");
        require(topK_ > 0, "topK has to be given, 1 or more");
        require(keepTopK_ > 0, "keepTopK has to be given, 1 or more");
        require(codeType_ >= 0 && codeType_ <= 3, "codeType has to be 0 to 3");
        int32_t const order[] = {0, 1, 2};
        require(std::ranges::is_permutation(inputOrder_, order),
                "inputOrder has to be 0, 1 and 2, in the order of locations, scores and priors");
    }

    Signature signature() const override {
        Slot const inputs[] = {{"loc_data", "[B,L,1,1]", Kind::kReal},
                               {"conf_data", "[B,S,1,1]", Kind::kReal},
                               {"prior_data", "[1,2,P,1]|[B,2,P,1]", Kind::kReal}};
        Signature all;
        for (int32_t place = 0; place < 3; ++place) {
            Slot const& each = inputs[std::ranges::find(inputOrder_, place) - inputOrder_.begin()];
            all.input(each.name, each.shape);
        }
        all.output("detections", kRows == Rows::kPadded ? "[B,1,keepTopK,7]" : "[?,7]", kindOfRows(kRows));
        all.output("keepCount", "[B,1,1,1]", Kind::kFloat);
        return kRows == Rows::kReal ? all.output("rows", "[]", Kind::kInt32) : all;
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        if (kRows == Rows::kPadded) return;
        auto const* const most = combined(builder, nvinfer1::DimensionOperation::kPROD, inputs[place(kScores)].d[0],
                                          builder.constant(keepTopK_));
        declareRows(builder, most, outputs, {0}, 2);
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const priors = inputs[place(kPriors)].d[2];
        if (priors % 4 != 0 && priors >= 0)
            throw std::invalid_argument("input 'prior_data' has " + std::to_string(priors) +
                                        " coordinates; expected 4 for each prior");
        if (priors < 0) return;
        checkCount("loc_data", inputs[place(kLocations)].d[1], priors, shareLocation_ ? 1 : numClasses_);
        checkCount("conf_data", inputs[place(kScores)].d[1], priors / 4, numClasses_);
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor scores = inputs[place(kScores)]; // [B,N*C,1,1]
        scores.dims = {3, {scores[0], scores[1] / numClasses_, numClasses_}};
        Boxes<float> const boxes(boxRules(), inputs[place(kLocations)], inputs[place(kPriors)]);
        nms_.runByPicture(rules(), Scores(scores), boxes);
        int64_t const rows = nms_.write(kRows, keepTopK_, [&](int64_t picture, int64_t first, int64_t end) {
            write(boxes, outputs, picture, first, end);
        });
        if (kRows == Rows::kReal) *outputs[2].ints() = int32_t(rows);
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        return gpuNmsWorkspace(rules(), extentsOf(largestInputs[place(kScores)]));
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) {
            Inputs const ordered{inputs[place(kLocations)], inputs[place(kScores)], inputs[place(kPriors)]};
            detectOnGpu(rules(), extentsOf(ordered.scores.dims), boxRules(),
                        confSigmoid_ ? Scale::kSigmoid : Scale::kAsTheyAre, kRows, ordered, outputs, workspace, stream);
        }
    }

private:
    enum Input { kLocations, kScores, kPriors };

    size_t place(Input input) const { return size_t(inputOrder_[input]); }

    static void checkCount(char const* input, int64_t found, int64_t each, int64_t times) {
        int64_t expected = 0;
        bool const fits = !__builtin_mul_overflow(each, times, &expected);
        if (found < 0 || (fits && found == expected)) return;
        throw std::invalid_argument(std::string("input '") + input + "' has " + std::to_string(found) +
                                    " numbers for an image; expected " + (fits ? std::to_string(expected) : "more") +
                                    ", " + std::to_string(each) + " for each of " + std::to_string(times) + " classes");
    }

    NmsRules rules() const {
        NmsRules rules;
        rules.scoreLimit = confSigmoid_ ? logit(confidenceThreshold_) : confidenceThreshold_;
        rules.overlapLimit = nmsThreshold_;
        rules.candidates = topK_;
        rules.perPicture = keepTopK_;
        rules.background = backgroundLabelId_;
        rules.borders.each = rules.borders.common = isNormalized_ ? 0 : 1;
        return rules;
    }

    BoxRules boxRules() const {
        auto const code = Code(codeType_);
        return {code, code == Code::kTfCenter || !varianceEncodedInTarget_, isBatchAgnostic_ != 0,
                shareLocation_ ? 1 : numClasses_};
    }

    // Of scores [B,N*C,1,1].
    NmsExtents extentsOf(nvinfer1::Dims const& scores) const {
        return {scores.d[0], numClasses_, scores.d[1] / numClasses_};
    }

    void write(Boxes<float> const& boxes, Tensors outputs, int64_t picture, int64_t first, int64_t end) {
        float* to = outputs[0].floats() + first * 7;
        auto const put = [&](float label, float score, Box const& box) {
            for (float value : {float(picture), label, score}) *to++ = value;
            for (float value : {box.x1, box.y1, box.x2, box.y2}) *to++ = std::clamp(value, 0.0F, 1.0F);
        };
        auto const count = int32_t(nms_.visit(picture, [&](int64_t, Candidate const& kept) {
            put(float(kept.label), confSigmoid_ ? sigmoid(kept.score) : kept.score, boxes(picture, kept));
        }));
        for (int64_t row = first + count; row < end; ++row) put(-1, 0, {});
        outputs[1].ints()[picture] = count;
    }

    int32_t shareLocation_ = 1;
    int32_t varianceEncodedInTarget_ = 0;
    int32_t backgroundLabelId_ = -1;
    int32_t numClasses_ = 0;
    int32_t topK_ = 0;
    int32_t keepTopK_ = 0;
    float confidenceThreshold_ = 0;
    float nmsThreshold_ = 0.5F;
    std::vector<int32_t> inputOrder_{0, 2, 1};
    int32_t confSigmoid_ = 0;
    int32_t isNormalized_ = 1;
    int32_t codeType_ = 3;
    int32_t scoreBits_ = 16; // the number of bits by which a GPU sorts; here, all
    int32_t isBatchAgnostic_ = kSamePriors;

    Nms<KeptBoxes> nms_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SsdNms<1, Rows::kPadded>>("NMS_TRT", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16"),
    standardPlugin<SsdNms<0, Rows::kPadded>>("NMSDynamic_TRT", "1", PluginGeneration::kV2DynamicExt, "8.0 to 10.16"),
    standardPlugin<SsdNms<0, Rows::kReal>>("NMSDynamic_TRT", kRealSize, PluginGeneration::kV3, ""),
};

} // namespace

std::span<StandardPlugin const> ssdNmsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
