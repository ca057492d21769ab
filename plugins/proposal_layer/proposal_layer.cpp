// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ProposalLayer_TRT: the region proposals of the Mask R-CNN of Matterport (github.com/matterport/Mask_RCNN, class
// ProposalLayer): anchors of all levels of a feature pyramid, refined by the network's deltas, normalized to the
// distance from the first pixel of the image to the last. Order of the tensors, anchors and fields: the README of the
// published plugin.
#include "proposal_layer.h"

#include "gpu.h"

#include <array>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using namespace proposal_layer;

constexpr int32_t kFinestStride = 4; // each level has half of the positions along an axis, and anchors twice as wide
constexpr float kSmallestAnchor = 32;
constexpr std::array<float, 3> kRatios{0.5F, 1, 2}; // width / height

class ProposalLayer final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("prenms_topk", candidates_);
        visit("keep_topk", kept_);
        visit("iou_threshold", iouThreshold_);
        visit("image_size", imageSize_);
    }

    void check() const override {
        checkOneOrMore("prenms_topk", candidates_);
        checkOneOrMore("keep_topk", kept_);
        checkPositive("iou_threshold", {iouThreshold_});
        checkImageSize(imageSize_);
        if (imageSize_[0] != 3 || imageSize_[1] < 2 || imageSize_[2] < 2)
            throw std::invalid_argument("image_size has to be 3 channels, and a height and a width of 2 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("object_score", "[N,A,2,1]")
            .input("object_delta", "[N,A,4,1]")
            .output("proposals", "[N,keep_topk,4]");
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t boxes = 0;
        for (size_t level = 0; level < kLevels; ++level)
            boxes += rowsOf(level) * columnsOf(level) * int64_t(kRatios.size());
        checkAnchors("object_score", inputs[0].d[1], boxes, imageSize_);
    }

    void run(Tensors inputs, Tensors outputs) override {
        Regions<float> const regions(anchors(), inputs[0], inputs[1]);
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            selection_.clear();
            selection_.add(picture, regions, limits(), 8);
            selection_.writeBest(kept_, outputs[0].floats() + picture * kept_ * 4);
        }
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        nvinfer1::Dims const& scores = largestInputs[0];
        return gpuNmsWorkspace(limits().rules(), {scores.d[0], 1, scores.d[1]});
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) proposeOnGpu(limits(), anchors(), inputs, outputs[0], workspace, stream);
    }

private:
    static int32_t strideOf(size_t level) { return kFinestStride << level; }
    static int64_t placesOf(int32_t pixels, size_t level) {
        return (int64_t(pixels) + strideOf(level) - 1) / strideOf(level);
    }
    int64_t rowsOf(size_t level) const { return placesOf(imageSize_[1], level); }
    int64_t columnsOf(size_t level) const { return placesOf(imageSize_[2], level); }

    // The centre of an anchor is at the first pixel of its position, and the last pixel belongs to it.
    PyramidAnchors anchors() const {
        PyramidAnchors all{};
        auto const down = float(imageSize_[1] - 1), right = float(imageSize_[2] - 1);
        for (size_t level = 0; level < kLevels; ++level) {
            LevelAnchors& anchors = all[level];
            auto const stride = float(strideOf(level));
            anchors.rows = rowsOf(level), anchors.columns = columnsOf(level);
            anchors.stepDown = stride / down, anchors.stepRight = stride / right;
            anchors.offset = -0.5F / stride;
            anchors.each = int64_t(kRatios.size());
            float const size = kSmallestAnchor * float(1 << level);
            for (size_t i = 0; i < kRatios.size(); ++i) {
                float const width = size * std::sqrt(kRatios[i]), height = size / std::sqrt(kRatios[i]);
                anchors.sizes[i] = {(width - 1) / right, (height - 1) / down};
            }
        }
        return all;
    }

    Selection::Limits limits() const { return {candidates_, iouThreshold_, kept_}; }

    int32_t candidates_ = 0;
    int32_t kept_ = 0;
    float iouThreshold_ = 0;
    std::vector<int32_t> imageSize_ = {3, 1024, 1024};

    Selection selection_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<ProposalLayer>("ProposalLayer_TRT", "1", PluginGeneration::kV2DynamicExt, "from 6.0")};

} // namespace

std::span<StandardPlugin const> proposalLayerPlugins() { return kDefinitions; }

} // namespace tenon::plugins
