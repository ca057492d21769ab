// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// MultilevelProposeROI_TRT: the region proposals of the Mask R-CNN of NVIDIA's TAO toolkit: of each level of a feature
// pyramid (arXiv 1612.03144) separately, then the highest-scoring of those kept. Coordinates are pixels of the image; a
// box includes both end pixels, so its size is 1 more. Order of the tensors, anchors and fields: the README of the
// published plugin.
#include "multilevel_propose_roi.h"

#include "gpu.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using namespace multilevel_propose_roi;

constexpr int32_t kFinestStride = 4, kFinestLevel = 2; // each level has half of the positions along an axis
constexpr float kAnchorSize = 8;                       // in strides
constexpr std::array<Anchors::Size, 3> kShapes{{{1, 1}, {1.4F, 0.7F}, {0.7F, 1.4F}}};

class MultilevelProposeRoi final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("prenms_topk", candidates_);
        visit("keep_topk", kept_);
        visit("fg_threshold", scoreThreshold_);
        visit("iou_threshold", iouThreshold_);
        visit("image_size", imageSize_);
    }

    void check() const override {
        checkOneOrMore("prenms_topk", candidates_);
        checkOneOrMore("keep_topk", kept_);
        checkNotNegative("fg_threshold", scoreThreshold_);
        checkNotNegative("iou_threshold", iouThreshold_);
        checkImageSize(imageSize_);
    }

    Signature signature() const override {
        Signature all;
        for (size_t level = 0; level < kLevels; ++level) {
            std::string const boxes = std::string("[B,") + "IJKLM"[level] + ",";
            all.input(nameOf("delta_P", level), boxes + "4,1]").input(nameOf("score_P", level), boxes + "1,1]");
        }
        return all.output("proposals", "[B,keep_topk,4]");
    }

    void checkInputs(KnownShapes inputs) const override {
        for (size_t level = 0; level < kLevels; ++level) {
            int64_t const boxes = rowsOf(level) * columnsOf(level) * int64_t(kShapes.size());
            checkAnchors(nameOf("delta_P", level), inputs[level * 2].d[1], boxes, imageSize_);
        }
    }

    void run(Tensors inputs, Tensors outputs) override {
        Settings const settings = this->settings();
        PyramidAnchors const anchors = this->anchors();
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            selection_.clear();
            for (size_t level = 0; level < kLevels; ++level)
                selection_.add(picture, Regions<float>(settings, anchors, inputs, level), settings.limits, 8);
            selection_.writeBest(kept_, outputs[0].floats() + picture * kept_ * 4);
        }
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        return gpuNmsWorkspace(settings().limits.rules(), extentsOf(anchors(), largestInputs[0].d[0]));
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) proposeOnGpu(settings(), anchors(), inputs, outputs[0], workspace, stream);
    }

private:
    static std::string nameOf(std::string what, size_t level) { return what += std::to_string(level + kFinestLevel); }
    static int32_t strideOf(size_t level) { return kFinestStride << level; }
    // The centres inside the image, half a stride from the border and then a stride apart.
    static int64_t placesOf(int32_t pixels, size_t level) {
        int32_t const stride = strideOf(level);
        return (int64_t(pixels) + stride / 2 - 1) / stride;
    }
    int64_t rowsOf(size_t level) const { return placesOf(imageSize_[1], level); }
    int64_t columnsOf(size_t level) const { return placesOf(imageSize_[2], level); }

    PyramidAnchors anchors() const {
        PyramidAnchors all{};
        for (size_t level = 0; level < kLevels; ++level) {
            LevelAnchors& anchors = all[level];
            auto const stride = float(strideOf(level));
            anchors.rows = rowsOf(level), anchors.columns = columnsOf(level);
            anchors.stepDown = anchors.stepRight = stride;
            anchors.offset = 0.5F;
            anchors.each = int64_t(kShapes.size());
            std::ranges::transform(kShapes, anchors.sizes.begin(), [&](Anchors::Size const& shape) {
                return Anchors::Size{stride * kAnchorSize * shape.width, stride * kAnchorSize * shape.height};
            });
        }
        return all;
    }

    Settings settings() const {
        Pair const last{float(imageSize_[1] - 1), float(imageSize_[2] - 1)};
        return {last, scoreThreshold_, {candidates_, iouThreshold_, kept_}};
    }

    int32_t candidates_ = 0;
    int32_t kept_ = 0;
    float scoreThreshold_ = 0;
    float iouThreshold_ = 0;
    std::vector<int32_t> imageSize_ = {3, 832, 1344};

    Selection selection_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<MultilevelProposeRoi>("MultilevelProposeROI_TRT", "1", PluginGeneration::kV2DynamicExt, "from 7.1")};

} // namespace

NmsExtents multilevel_propose_roi::extentsOf(PyramidAnchors const& anchors, int64_t pictures) {
    int64_t most = 0;
    for (LevelAnchors const& level : anchors) most = std::max(most, level.count());
    return {pictures, int64_t(kLevels), most};
}

std::span<StandardPlugin const> multilevelProposeRoiPlugins() { return kDefinitions; }

} // namespace tenon::plugins
