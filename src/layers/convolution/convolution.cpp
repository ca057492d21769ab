// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution.h"

#include "base/error.h"
#include "steps/epilogue.h"

namespace tenon {

namespace layers {
LayerEntry convolutionLayer() { return entryOf<Convolution>(); }
} // namespace layers

namespace {

bool surelyDiffer(DimExpr const& a, DimExpr const& b) { return a.isConstant() && b.isConstant() && !(a == b); }

void checkChannels(Operands const& in, int64_t groups) {
    Shape const& x = in[0].shape;
    Shape const& w = in[1].shape;
    if (groups < 1) fail(ErrorCode::InvalidArgument, "has ", groups, " groups; expected 1 or more");
    if (surelyDiffer(w[1] * DimExpr(groups), x[1]))
        fail(ErrorCode::InvalidArgument, "weights ", w, " have ", w[1] * DimExpr(groups), " input channels in ", groups,
             groups == 1 ? " group" : " groups", ", input 0 ", x, " has ", x[1]);
    if (w[0].constantOr(0) % groups != 0)
        fail(ErrorCode::InvalidArgument, "weights ", w, " have ", w[0], " output channels, not divisible by ", groups,
             " groups");
    if (!in.has(Convolution::kBias)) return;
    in.expectSameType(0, Convolution::kBias).expectRank(Convolution::kBias, 1, 1);
    if (surelyDiffer(in[Convolution::kBias].shape[0], w[0]))
        fail(ErrorCode::InvalidArgument, "bias ", in[Convolution::kBias].shape, " has ",
             in[Convolution::kBias].shape[0], " elements for ", w[0], " output channels");
}

/// The sum under one window: x at the first channel of the group, w at the first of the output channel.
double sumWindow(std::span<float const> x, std::span<float const> w, std::span<FixedSlide const> slides,
                 Dims const& at) {
    double sum = 0;
    Dims size;
    int64_t area = 1;
    for (FixedSlide const& slide : slides) {
        size.push(slide.size);
        area *= slide.in;
    }
    int64_t const taps = size.volume();
    Dims tap = Dims::filled(size.rank(), 0);
    for (int64_t i = 0; i < taps; ++i, nextIndex(tap, size)) {
        int64_t offset = 0;
        bool inside = true;
        for (size_t axis = 0; axis < slides.size(); ++axis) {
            FixedSlide const& slide = slides[axis];
            int const d = static_cast<int>(axis);
            int64_t const position = at[d] * slide.stride + tap[d] * slide.dilation - slide.pre;
            inside = inside && position >= 0 && position < slide.in;
            offset = offset * slide.in + position;
        }
        if (!inside) continue;
        for (size_t c = 0; c * static_cast<size_t>(taps) < w.size(); ++c)
            sum += double{x[c * static_cast<size_t>(area) + static_cast<size_t>(offset)]} *
                   w[c * static_cast<size_t>(taps) + static_cast<size_t>(i)];
    }
    return sum;
}

} // namespace

// X [N,C,in…], W [K,C/groups,window…], bias [K] → Y [N,K,out…]
std::vector<Result> Convolution::infer(Operands const& in) const {
    in.expectCount(2, std::max(in.count(), 2)).expectFloat(0).expectRank(0, 3, Dims::kMaxRank);
    in.expectSameType(0, 1).expectRank(1, in.rank(0), in.rank(0));
    window.check(in[0].shape.size() - 2);
    checkChannels(in, groups);
    Shape shape{in[0].shape[0], in[1].shape[0]};
    for (Slide const& slide : window.over(spatial(in[0].shape), spatial(in[1].shape))) shape.push_back(slide.out);
    checkEpilogue(epilogue, in, kFirstExtra, shape);
    return {{in[0].type, shape}};
}

std::vector<FixedSlide> slidesOf(Convolution const& layer, Dims const& x, Dims const& w) {
    return fixed(layer.window.over(spatial(toShape(x)), spatial(toShape(w))));
}

void Convolution::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    auto const x = toFloats(in[0]);
    auto const w = toFloats(in[1]);
    auto const bias = in.size() > kBias ? toFloats(in[kBias]) : std::vector<float>{};
    auto const slides = slidesOf(*this, in[0].dims, in[1].dims);
    Dims const& y = out[0].dims;
    auto const perGroup = static_cast<size_t>(in[1].dims.volume(1, in[1].dims.rank()));
    int64_t const area = in[0].dims.volume(2, y.rank());
    std::vector<float> result;
    Dims const places(y.span().subspan(2));
    for (int64_t plane = 0; plane < y[0] * y[1]; ++plane) {
        int64_t const k = plane % y[1];
        int64_t const channel = plane / y[1] * in[0].dims[1] + k / (y[1] / groups) * in[1].dims[1];
        std::span const xGroup = std::span(x).subspan(static_cast<size_t>(channel * area));
        std::span const wOut = std::span(w).subspan(static_cast<size_t>(k) * perGroup, perGroup);
        Dims at = Dims::filled(places.rank(), 0);
        for (int64_t i = 0; i < places.volume(); ++i, nextIndex(at, places))
            result.push_back(static_cast<float>(sumWindow(xGroup, wOut, slides, at) +
                                                (bias.empty() ? 0 : bias[static_cast<size_t>(k)])));
    }
    finish(result, epilogue, in, out[0]);
}

std::optional<WeightsRole> Convolution::weightsRole(int input) const {
    if (input == 1) return WeightsRole::Kernel;
    return input == kBias ? std::optional(WeightsRole::Bias) : std::nullopt;
}

} // namespace tenon
