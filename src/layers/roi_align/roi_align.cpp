// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/roi_align/roi_align.h"

#include "base/error.h"
#include "graph/elements.h"
#include "layers/roi_align/roi_bins.h"

#include <array>

namespace tenon {

namespace layers {
LayerEntry roiAlignLayer() { return entryOf<RoiAlign>(); }
} // namespace layers

std::span<std::string_view const> names(RoiAlign::Mode) {
    static constexpr std::array<std::string_view, 2> all{"Average", "Max"};
    return all;
}

void failOnItem(int64_t region, int64_t item, int64_t items) {
    fail(ErrorCode::InvalidArgument, "region ", region, " is of batch item ", item, "; X has ", items);
}

std::string RoiAlign::inputName(int input) const {
    if (input == 1) return "rois";
    return input == 2 ? "batch indices" : Layer::inputName(input);
}

// X [N,C,H,W], rois [R,4], items [R] → Y [R,C,height,width]
std::vector<Result> RoiAlign::infer(Operands const& in) const {
    in.expectCount(3, 3).expectFloat(0).expectRank(0, 4, 4).expectFloat(1).expectRank(1, 2, 2).expectInteger(2);
    in.expectRank(2, 1, 1);
    Shape const& x = in[0].shape;
    Shape const& rois = in[1].shape;
    DimExpr const& items = in[2].shape[0];
    if (rois[1].constantOr(4) != 4)
        fail(ErrorCode::InvalidArgument, "rois ", rois, " has ", rois[1], " numbers for each region; expected 4");
    if (items.constantOr(rois[0].constantOr(0)) != rois[0].constantOr(items.constantOr(0)))
        fail(ErrorCode::InvalidArgument, "rois ", rois, " and batch indices ", in[2].shape,
             " differ in their number of regions");
    if (height < 1 || width < 1)
        fail(ErrorCode::InvalidArgument, "the output regions are ", height, " by ", width,
             "; expected at least 1 by 1");
    if (points < 0 || points > kMostPoints)
        fail(ErrorCode::InvalidArgument, "a bin has ", points, " points along a side; expected 0 to ",
             int{kMostPoints});
    return {{in[0].type, {rois[0], x[1], height, width}}};
}

void RoiAlign::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    Dims const& x = in[0].dims;
    auto const rois = Literal::borrowed(in[1].type, in[1].dims, in[1].data, nullptr).toFloat();
    auto const items = integersIn(in[2]);
    int64_t const bins = height * width;
    RoiFields const fields(*this);
    dispatch(in[0].type, [&]<class T>(TypeTag<T>) {
        for (int64_t to = 0; to < out[0].dims.volume(); ++to) {
            int64_t const region = to / bins / x[1];
            int64_t const item = items[static_cast<size_t>(region)];
            if (item < 0 || item >= x[0]) failOnItem(region, item, x[0]);
            float const* const box = rois.data() + 4 * region;
            RoiSide const down(box[1], box[3], height, fields);
            RoiSide const across(box[0], box[2], width, fields);
            int64_t const channel = item * x[1] + to / bins % x[1];
            RoiPicture<T> const picture{static_cast<T const*>(in[0].data) + channel * x[2] * x[3], x[2], x[3]};
            bool const isEmpty = x[2] == 0 || x[3] == 0;
            static_cast<T*>(out[0].data)[to] = T(isEmpty ? 0.F : picture.pooled(down, across, to % bins, fields));
        }
    });
}

} // namespace tenon
