// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Proposal, ProposalDynamic: the region proposals of Faster R-CNN (arXiv 1506.01497) for a network with one score, a
// sigmoid, for each anchor. Anchors are of size * sqrt(ratio) x size / sqrt(ratio) around the middle of each place;
// order of the tensors and fields: the README of the published plugin.
#include "proposals.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr char const* kAnchorFields = "anchor_sizes x anchor_ratios";

class ProposalPlugin final : public PluginBase {
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
        setAnchors(inputs[0][2], inputs[0][3]);
        float* const rois = outputs[0].floats();
        std::fill_n(rois, outputs[0].count(), 0.0F);
        Pair const last{float(inputWidth_ - 1), float(inputHeight_ - 1)};
        for (int64_t picture = 0; picture < inputs[0][0]; ++picture) {
            propose(inputs, picture, last);
            float* corner = rois + picture * kept_ * 4;
            for (Candidate const& each : selection_.best(kept_)) {
                Box const& box = selection_.boxOf(each);
                *corner++ = box.y1 / last.second;
                *corner++ = box.x1 / last.first;
                *corner++ = box.y2 / last.second;
                *corner++ = box.x2 / last.first;
            }
        }
    }

private:
    void setAnchors(int64_t rows, int64_t columns) {
        anchors_.rows = rows, anchors_.columns = columns;
        anchors_.stepDown = anchors_.stepRight = float(stride_);
        anchors_.offset = 0.5F;
        anchors_.sizes.clear();
        for (float size : sizes_) {
            for (float ratio : ratios_) anchors_.sizes.push_back({size * std::sqrt(ratio), size / std::sqrt(ratio)});
        }
    }

    void propose(Tensors inputs, int64_t picture, Pair last) {
        int64_t const boxes = anchors_.count();
        MapOfBoxes const map(anchors_, inputs[1].floats() + picture * boxes * 4, last);
        float const* const scores = inputs[0].floats() + picture * boxes;
        auto const boxOf = [&](Candidate const& candidate) { return map.boxAt(candidate.box); };
        auto const surenessOf = [&](int64_t i) {
            Box const box = map.boxAt(i);
            bool const isLarge = box.x2 - box.x1 > minSize_ && box.y2 - box.y1 > minSize_;
            return Sureness{isLarge ? scores[i] : Sureness::kNone};
        };
        selection_.clear();
        selection_.add(boxes, {candidates_, iouThreshold_, kept_, 1}, surenessOf, boxOf, 32);
    }

    int32_t inputHeight_ = 0;
    int32_t inputWidth_ = 0;
    int32_t stride_ = 0;
    float minSize_ = 0;
    float iouThreshold_ = 0;
    int32_t candidates_ = 0;
    int32_t kept_ = 0;
    std::vector<float> sizes_, ratios_;

    Anchors anchors_{};
    Selection selection_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<ProposalPlugin>("Proposal", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16"),
    standardPlugin<ProposalPlugin>("ProposalDynamic", "1", PluginGeneration::kV2DynamicExt, "8.0 to 10.16"),
};

} // namespace

std::span<StandardPlugin const> proposalPlugins() { return kDefinitions; }

} // namespace tenon::plugins
