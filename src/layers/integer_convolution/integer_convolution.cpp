// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/integer_convolution/integer_convolution.h"

#include "base/error.h"

namespace tenon {

namespace layers {
LayerEntry integerConvolutionLayer() { return entryOf<IntegerConvolution>(); }
} // namespace layers

namespace {

bool surelyDiffer(DimExpr const& a, DimExpr const& b) { return a.isConstant() && b.isConstant() && !(a == b); }

void expectBytes(Operands const& in, int input) {
    if (in[input].type != DataType::Int8 && in[input].type != DataType::UInt8)
        fail(ErrorCode::InvalidArgument, "input ", input, " is ", in[input].type, "; expected int8 or uint8");
}

void expectZeros(Operands const& in) {
    constexpr int kX = IntegerConvolution::kZeroOfX;
    constexpr int kW = IntegerConvolution::kZeroOfW;
    if (in.has(kX)) in.expectSameType(0, kX).expectRank(kX, 0, 1);
    if (in.has(kX) && in.rank(kX) == 1 && surelyDiffer(in[kX].shape[0], 1))
        fail(ErrorCode::InvalidArgument, "input 2, the zero point of X, has ", in[kX].shape[0],
             " elements; expected one");
    if (!in.has(kW)) return;
    in.expectSameType(1, kW).expectRank(kW, 0, 1);
    if (in.rank(kW) == 0 || in[kW].shape[0] == DimExpr(1)) return;
    if (surelyDiffer(in[kW].shape[0], in[1].shape[0]))
        fail(ErrorCode::InvalidArgument, "input 3, the zero point of the weights, has ", in[kW].shape[0],
             " elements for ", in[1].shape[0], " output channels");
}

void checkChannels(Operands const& in, int64_t groups) {
    Shape const& x = in[0].shape;
    Shape const& w = in[1].shape;
    if (groups < 1 || w[0].constantOr(groups) % groups != 0)
        fail(ErrorCode::InvalidArgument, "has ", groups, " groups for weights ", w, "; expected a divisor of the ",
             w[0], " output channels");
    if (surelyDiffer(w[1] * DimExpr(groups), x[1]))
        fail(ErrorCode::InvalidArgument, "weights ", w, " have ", w[1] * DimExpr(groups), " input channels in ", groups,
             groups == 1 ? " group" : " groups", ", input 0 ", x, " has ", x[1]);
}

} // namespace

// X [N,C,in…], W [K,C/groups,window…] → Y [N,K,out…]
std::vector<Result> IntegerConvolution::infer(Operands const& in) const {
    in.expectCount(2, 4).expectRank(0, 3, Dims::kMaxRank).expectRank(1, in.rank(0), in.rank(0));
    expectBytes(in, 0);
    expectBytes(in, 1);
    expectZeros(in);
    window.check(in[0].shape.size() - 2);
    checkChannels(in, groups);
    Shape shape{in[0].shape[0], in[1].shape[0]};
    for (Slide const& slide : window.over(spatial(in[0].shape), spatial(in[1].shape))) shape.push_back(slide.out);
    return {{DataType::Int32, shape}};
}

IntegerConvolutionSizes sizesOf(IntegerConvolution const& layer, std::span<Dims const> inputs) {
    Dims const& x = inputs[0];
    Dims const& w = inputs[1];
    IntegerConvolutionSizes sizes{.samples = x[0], .kernels = w[0], .channels = w[1], .groups = layer.groups};
    for (FixedSlide const& slide : fixed(layer.window.over(spatial(toShape(x)), spatial(toShape(w))))) {
        sizes.slides[static_cast<size_t>(sizes.axes++)] = slide;
        sizes.inArea *= slide.in;
        sizes.taps *= slide.size;
        sizes.outArea *= slide.out;
    }
    constexpr size_t kW = IntegerConvolution::kZeroOfW;
    sizes.oneZero = inputs.size() <= kW || inputs[kW].volume() == 1;
    return sizes;
}

namespace {

/// The elements, or one 0 if the input is absent.
std::vector<int64_t> integers(std::span<HostTensor const> in, size_t input) {
    if (input >= in.size() || in[input].data == nullptr) return {0};
    return Literal::borrowed(in[input].type, in[input].dims, in[input].data, nullptr).toInt64();
}

} // namespace

void IntegerConvolution::reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const {
    std::vector<Dims> dims;
    for (HostTensor const& tensor : in) dims.push_back(tensor.dims);
    IntegerConvolutionSizes const sizes = sizesOf(*this, dims);
    auto const x = integers(in, 0);
    auto const w = integers(in, 1);
    auto const zeroOfX = integers(in, kZeroOfX)[0];
    auto const zerosOfW = integers(in, kZeroOfW);
    auto const y = out[0].as<int32_t>();
    for (size_t i = 0; i < y.size(); ++i) {
        auto const plane = static_cast<int64_t>(i) / sizes.outArea;
        int64_t const k = plane % sizes.kernels;
        int64_t const zeroOfW = zerosOfW[zerosOfW.size() == 1 ? 0 : static_cast<size_t>(k)];
        int64_t sum = 0;
        for (int64_t tap = 0; tap < sizes.channels * sizes.taps; ++tap) {
            int64_t const at = sizes.meets(static_cast<int64_t>(i) % sizes.outArea, tap % sizes.taps);
            int64_t const channel = sizes.firstChannel(plane) + tap / sizes.taps;
            if (at >= 0)
                sum += (w[static_cast<size_t>(k * sizes.channels * sizes.taps + tap)] - zeroOfW) *
                       (x[static_cast<size_t>(channel * sizes.inArea + at)] - zeroOfX);
        }
        y[i] = static_cast<int32_t>(sum);
    }
}

} // namespace tenon
