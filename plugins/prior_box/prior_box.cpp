// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// PriorBox_TRT: the default boxes of one feature map (Liu et al., "SSD: Single Shot MultiBox Detector"), as Caffe's
// layer PriorBox makes them. For each minSize: a square of it, one of sqrt(minSize * maxSize) if there is a maxSize,
// and boxes of its area in each aspect ratio.
#include "anchors.h"
#include "gpu.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr size_t kMost = 1000; // minSize or aspectRatios; no real model has more

class PriorBox final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("minSize", minSize_);
        visit("maxSize", maxSize_);
        visit("aspectRatios", aspectRatios_);
        visit("flip", flip_);
        visit("clip", clip_);
        visit("variance", variance_);
        visit("imgH", imageHeight_);
        visit("imgW", imageWidth_);
        visit("stepH", stepHeight_);
        visit("stepW", stepWidth_);
        visit("offset", offset_);
    }

    void check() const override {
        if (minSize_.empty()) throw std::invalid_argument("minSize has to be given");
        expectAtMost("minSize", minSize_.size());
        expectAtMost("aspectRatios", aspectRatios_.size());
        checkPositive("minSize", minSize_);
        checkPositive("maxSize", maxSize_);
        checkPositive("aspectRatios", aspectRatios_);
        checkMaxSize();
        checkVariance(variance_);
        if ((flip_ != 0 && flip_ != 1) || (clip_ != 0 && clip_ != 1))
            throw std::invalid_argument("flip and clip have to be 0 or 1");
        if (imageHeight_ < 0 || imageWidth_ < 0)
            throw std::invalid_argument("imgH and imgW have to be 0, as the second input, or more");
        if (!(isLength(stepHeight_) && isLength(stepWidth_)))
            throw std::invalid_argument("stepH and stepW have to be finite, and 0, as the feature map, or more");
        if (!std::isfinite(offset_)) throw std::invalid_argument("offset has to be finite");
    }

    Signature signature() const override {
        return Signature()
            .input("feature_map", "[N,C,H,W]", Kind::kFloat)
            .input("image", "[N,D,I,J]", Kind::kFloat)
            .output("boxes", "[N,2,?,1]", Kind::kFloat);
    }

    void checkInputs(KnownShapes inputs) const override {
        if (hasImage() || (inputs[1].d[2] != 0 && inputs[1].d[3] != 0)) return;
        throw std::invalid_argument("the second input has no pixels, and imgH and imgW are not given");
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        using nvinfer1::DimensionOperation;
        auto const count = static_cast<int32_t>(sizes(1, 1).size() * 4);
        auto const* places = combined(builder, DimensionOperation::kPROD, inputs[0].d[2], inputs[0].d[3]);
        outputs[0].d[2] = combined(builder, DimensionOperation::kPROD, places, builder.constant(count));
    }

    // The boxes depend on shapes only: equal for all samples.
    void run(Tensors inputs, Tensors outputs) override {
        if (outputs[0].count() == 0) return;
        int64_t const sample = outputs[0].count(1, 4);
        float* const first = outputs[0].floats();
        anchorsOf(inputs).write(variance_, first);
        for (int64_t n = 1; n < outputs[0][0]; ++n) std::copy_n(first, sample, first + n * sample);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t stream) override {
        if constexpr (kHasKernels) anchorsOf(inputs).writeOnGpu(variance_, outputs[0][0], outputs[0].floats(), stream);
    }

private:
    static bool isLength(float value) { return value >= 0 && std::isfinite(value); }

    static void expectAtMost(char const* field, size_t count) {
        if (count > kMost)
            throw std::invalid_argument(field + (" has to be at most " + std::to_string(kMost) + " numbers; found ") +
                                        std::to_string(count));
    }

    void checkMaxSize() const {
        if (maxSize_.empty()) return;
        if (maxSize_.size() != minSize_.size())
            throw std::invalid_argument("maxSize has " + std::to_string(maxSize_.size()) + " numbers; expected " +
                                        std::to_string(minSize_.size()) + ", as minSize, or none");
        if (!std::ranges::equal(minSize_, maxSize_, std::less_equal()))
            throw std::invalid_argument("maxSize has to be at least minSize, element by element");
    }

    // Both or none, as in the original.
    bool hasImage() const { return imageHeight_ > 0 && imageWidth_ > 0; }

    Anchors anchorsOf(Tensors inputs) const {
        auto const height = float(hasImage() ? imageHeight_ : inputs[1][2]);
        auto const width = float(hasImage() ? imageWidth_ : inputs[1][3]);
        Anchors anchors{inputs[0][2], inputs[0][3], 0, 0, offset_, sizes(height, width), clip_ == 1};
        bool const hasStep = stepHeight_ > 0 && stepWidth_ > 0;
        anchors.stepDown = hasStep ? stepHeight_ / height : 1 / float(anchors.rows);
        anchors.stepRight = hasStep ? stepWidth_ / width : 1 / float(anchors.columns);
        return anchors;
    }

    // 1 first, each other ratio once.
    std::vector<float> ratios() const {
        std::vector<float> all{1};
        for (float ratio : aspectRatios_) {
            auto const isSame = [ratio](float other) { return std::fabs(ratio - other) < 1e-6F; };
            if (std::ranges::any_of(all, isSame)) continue;
            all.push_back(ratio);
            if (flip_) all.push_back(1 / ratio);
        }
        return all;
    }

    std::vector<Anchors::Size> sizes(float height, float width) const {
        std::vector<Anchors::Size> all;
        auto const add = [&](float size, float root) { all.push_back({size * root / width, size / root / height}); };
        std::vector<float> const ratios = this->ratios();
        for (size_t i = 0; i < minSize_.size(); ++i) {
            add(minSize_[i], 1);
            if (!maxSize_.empty()) add(std::sqrt(minSize_[i] * maxSize_[i]), 1);
            for (size_t ratio = 1; ratio < ratios.size(); ++ratio) add(minSize_[i], std::sqrt(ratios[ratio]));
        }
        return all;
    }

    std::vector<float> minSize_, maxSize_, aspectRatios_;
    int32_t flip_ = 1; // these as in Caffe
    int32_t clip_ = 0;
    std::vector<float> variance_{0.1F, 0.1F, 0.1F, 0.1F};
    int32_t imageHeight_ = 0;
    int32_t imageWidth_ = 0;
    float stepHeight_ = 0;
    float stepWidth_ = 0;
    float offset_ = 0.5F;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<PriorBox>("PriorBox_TRT", "1", PluginGeneration::kV2DynamicExt, "from 5.1")};

} // namespace

std::span<StandardPlugin const> priorBoxPlugins() { return kDefinitions; }

} // namespace tenon::plugins
