// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deconvolution/deconvolution.h"

#include "base/error.h"
#include "steps/epilogue.h"

namespace tenon {

namespace layers {
LayerEntry deconvolutionLayer() { return entryOf<Deconvolution>(); }
} // namespace layers

namespace {

bool surelyDiffer(DimExpr const& a, DimExpr const& b) { return a.isConstant() && b.isConstant() && !(a == b); }

void checkChannels(Operands const& in, int64_t groups) {
    Shape const& x = in[0].shape;
    Shape const& w = in[1].shape;
    if (groups < 1) fail(ErrorCode::InvalidArgument, "has ", groups, " groups; expected 1 or more");
    if (surelyDiffer(w[0], x[1]))
        fail(ErrorCode::InvalidArgument, "weights ", w, " have ", w[0], " input channels, input 0 ", x, " has ", x[1]);
    if (w[0].constantOr(0) % groups != 0)
        fail(ErrorCode::InvalidArgument, "weights ", w, " have ", w[0], " input channels, not divisible by ", groups,
             " groups");
    if (!in.has(Deconvolution::kBias)) return;
    in.expectSameType(0, Deconvolution::kBias).expectRank(Deconvolution::kBias, 1, 1);
    DimExpr const outputs = w[1] * DimExpr(groups);
    if (surelyDiffer(in[Deconvolution::kBias].shape[0], outputs))
        fail(ErrorCode::InvalidArgument, "bias ", in[Deconvolution::kBias].shape, " has ",
             in[Deconvolution::kBias].shape[0], " elements for ", outputs, " output channels");
}

void checkList(std::string_view what, std::vector<int64_t> const& values, size_t axes, int64_t least) {
    bool right = values.empty() || values.size() == axes;
    for (int64_t const value : values) right = right && value >= least;
    if (!right)
        fail(ErrorCode::InvalidArgument, what, " is [", joined(values), "]; expected ", axes, " numbers of ", least,
             " or more");
}

/// Adds the windows that the elements of one channel of X write to one channel of Y.
void spreadPlane(std::span<float const> x, std::span<float const> w, std::span<FixedSlide const> slides,
                 std::span<double> y) {
    Dims in;
    Dims size;
    for (FixedSlide const& slide : slides) in.push(slide.in), size.push(slide.size);
    Dims at = Dims::filled(in.rank(), 0);
    for (float const value : x) {
        Dims tap = Dims::filled(size.rank(), 0);
        for (float const weight : w) {
            int64_t offset = 0;
            bool inside = true;
            for (int d = 0; d < in.rank(); ++d) {
                FixedSlide const& slide = slides[static_cast<size_t>(d)];
                int64_t const position = at[d] * slide.stride + tap[d] * slide.dilation - slide.pre;
                inside = inside && position >= 0 && position < slide.out;
                offset = offset * slide.out + position;
            }
            if (inside) y[static_cast<size_t>(offset)] += double{value} * weight;
            nextIndex(tap, size);
        }
        nextIndex(at, in);
    }
}

} // namespace

std::vector<Slide> slidesOf(Deconvolution const& layer, Shape const& x, Shape const& w) {
    Window const& window = layer.window;
    bool const same = window.paddingMode == PaddingMode::SameUpper || window.paddingMode == PaddingMode::SameLower;
    std::vector<Slide> slides;
    for (size_t i = 0; i + 2 < x.size(); ++i) {
        Slide slide{x[i + 2],         w[i + 2], window.strideAt(i), window.dilationAt(i), window.preAt(i),
                    window.postAt(i), {}};
        DimExpr const more = layer.outputPadding.empty() ? 0 : layer.outputPadding[i];
        DimExpr const whole = (slide.in - DimExpr(1)) * DimExpr(slide.stride) + reach(slide) + more;
        if (!window.outputs.empty()) {
            slide.out = window.outputs[i];
            slide.post = max(whole - slide.pre - slide.out, DimExpr(0));
        } else if (same || !layer.outputShape.empty()) {
            slide.out = layer.outputShape.empty() ? slide.in * DimExpr(slide.stride) : layer.outputShape[i];
            splitPadding(slide, max(whole - slide.out, DimExpr(0)), window.paddingMode);
        } else {
            slide.out = whole - slide.pre - slide.post;
        }
        if (slide.out.constantOr(0) < 0)
            fail(ErrorCode::InvalidArgument, "padding ", slide.pre, " and ", slide.post, " removes more than the ",
                 whole, " existing elements");
        slides.push_back(slide);
    }
    return slides;
}

// X [N,C,in…], W [C,K/groups,window…], bias [K] → Y [N,K,out…]
std::vector<Result> Deconvolution::infer(Operands const& in) const {
    in.expectCount(2, std::max(in.count(), 2)).expectFloat(0).expectRank(0, 3, Dims::kMaxRank);
    in.expectSameType(0, 1).expectRank(1, in.rank(0), in.rank(0));
    size_t const axes = in[0].shape.size() - 2;
    window.check(axes);
    checkList("output padding", outputPadding, axes, 0);
    checkList("output shape", outputShape, axes, 1);
    checkChannels(in, groups);
    Shape shape{in[0].shape[0], in[1].shape[1] * DimExpr(groups)};
    for (Slide const& slide : slidesOf(*this, in[0].shape, in[1].shape)) shape.push_back(slide.out);
    checkEpilogue(epilogue, in, kFirstExtra, shape);
    return {{in[0].type, shape}};
}

void Deconvolution::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    auto const x = toFloats(in[0]);
    auto const w = toFloats(in[1]);
    auto const bias = in.size() > kBias ? toFloats(in[kBias]) : std::vector<float>{};
    auto const slides = fixed(slidesOf(*this, toShape(in[0].dims), toShape(in[1].dims)));
    Dims const& xDims = in[0].dims;
    Dims const& y = out[0].dims;
    auto const area = static_cast<size_t>(xDims.volume(2, xDims.rank()));
    auto const taps = static_cast<size_t>(in[1].dims.volume(2, xDims.rank()));
    int64_t const perGroupIn = xDims[1] / groups;
    int64_t const perGroupOut = y[1] / groups;
    std::vector<float> result;
    for (int64_t plane = 0; plane < y[0] * y[1]; ++plane) {
        int64_t const k = plane % y[1];
        int64_t const firstChannel = k / perGroupOut * perGroupIn;
        double const start = bias.empty() ? 0 : bias[static_cast<size_t>(k)];
        std::vector<double> sums(static_cast<size_t>(y.volume(2, y.rank())), start);
        for (int64_t c = firstChannel; c < firstChannel + perGroupIn; ++c) {
            auto const xAt = static_cast<size_t>(plane / y[1] * xDims[1] + c) * area;
            auto const wAt = static_cast<size_t>(c * perGroupOut + k % perGroupOut) * taps;
            spreadPlane(std::span(x).subspan(xAt, area), std::span(w).subspan(wAt, taps), slides, sums);
        }
        result.insert(result.end(), sums.begin(), sums.end());
    }
    finish(result, epilogue, in, out[0]);
}

std::optional<WeightsRole> Deconvolution::weightsRole(int input) const {
    if (input == 1) return WeightsRole::Kernel;
    return input == kBias ? std::optional(WeightsRole::Bias) : std::nullopt;
}

} // namespace tenon
