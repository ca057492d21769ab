// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Proposal, ProposalDynamic: the region proposals of Faster R-CNN (arXiv 1506.01497) for a network with one score, a
// sigmoid, for each anchor. Anchors are of size * sqrt(ratio) x size / sqrt(ratio) around the centre of each position;
// order of the tensors and fields: the README of the published plugin.
#include "proposal.h"

#include "gpu.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using namespace proposal;

constexpr char const* kAnchorFields = "anchor_sizes x anchor_ratios";

class ProposalPlugin final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("input_height", inputHeight_);
        visit("input_width", inputWidth_);
        visit("rpn_stride", stride_);
        visit("roi_min_size", minSize_);
        visit("nms_iou_threshold", iouThreshold_);
        visit("pre_nms_top_n", candidates_);
        visit("post_nms_top_n", kept_);
        visit("anchor_sizes", sizes_);
        visit("anchor_ratios", ratios_);
    }

    void check() const override {
        checkOneOrMore("input_height", inputHeight_);
        checkOneOrMore("input_width", inputWidth_);
        checkOneOrMore("rpn_stride", stride_);
        checkNotNegative("roi_min_size", minSize_);
        checkPositive("nms_iou_threshold", {iouThreshold_});
        checkOneOrMore("pre_nms_top_n", candidates_);
        checkOneOrMore("post_nms_top_n", kept_);
        if (sizes_.empty() || ratios_.empty())
            throw std::invalid_argument("anchor_sizes and anchor_ratios have to be given");
        checkPositive("anchor_sizes", sizes_);
        checkPositive("anchor_ratios", ratios_);
    }

    Signature signature() const override {
        return Signature()
            .input("scores", "[N,A,H,W]")
            .input("deltas", "[N,D,H,W]")
            .output("rois", "[N,post_nms_top_n,4,1]");
    }

    void checkInputs(KnownShapes inputs) const override {
        size_t const anchors = sizes_.size() * ratios_.size();
        checkChannels("scores", inputs[0].d[1], 1, anchors, kAnchorFields);
        checkChannels("deltas", inputs[1].d[1], 4, anchors, kAnchorFields);
    }

    void run(Tensors inputs, Tensors outputs) override {
        Settings const settings = this->settings();
        Regions<float> const regions(settings, anchors(inputs[0]), inputs);
        float* const rois = outputs[0].floats();
        std::fill_n(rois, outputs[0].count(), 0.0F);
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            selection_.clear();
            selection_.add(picture, regions, settings.limits, 32);
            float* corner = rois + picture * kept_ * 4;
            for (Candidate const& each : selection_.best(kept_)) {
                Box const& box = selection_.boxOf(each);
                corner = std::ranges::copy(sharesOf(box, settings.last), corner).out;
            }
        }
    }

    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        nvinfer1::Dims const& scores = largestInputs[0];
        GpuPieces pieces;
        takeSizes(int64_t(sizes_.size() * ratios_.size()), pieces);
        return gpuNmsWorkspace(settings().limits.rules(), {scores.d[0], 1, scores.d[1] * scores.d[2] * scores.d[3]},
                               pieces);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void* workspace, cudaStream_t stream) override {
        if constexpr (kHasKernels) proposeOnGpu(settings(), anchors(inputs[0]), inputs, outputs[0], workspace, stream);
    }

private:
    Settings settings() const {
        return {{float(inputWidth_ - 1), float(inputHeight_ - 1)}, minSize_, {candidates_, iouThreshold_, kept_, 1}};
    }

    // For scores [N,A,H,W].
    AnyAnchors anchors(Tensor const& scores) {
        anchorSizes_.clear();
        for (float size : sizes_) {
            for (float ratio : ratios_) anchorSizes_.push_back({size * std::sqrt(ratio), size / std::sqrt(ratio)});
        }
        auto const stride = float(stride_);
        return {scores[2], scores[3], stride, stride, 0.5F, anchorSizes_.data(), int64_t(anchorSizes_.size())};
    }

    int32_t inputHeight_ = 0;
    int32_t inputWidth_ = 0;
    int32_t stride_ = 0;
    float minSize_ = 0;
    float iouThreshold_ = 0;
    int32_t candidates_ = 0;
    int32_t kept_ = 0;
    std::vector<float> sizes_, ratios_;

    std::vector<Anchors::Size> anchorSizes_;
    Selection selection_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<ProposalPlugin>("Proposal", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16"),
    standardPlugin<ProposalPlugin>("ProposalDynamic", "1", PluginGeneration::kV2DynamicExt, "8.0 to 10.16"),
};

} // namespace

std::span<StandardPlugin const> proposalPlugins() { return kDefinitions; }

} // namespace tenon::plugins
