// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/described_convolution_cpu.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using dnnl::memory;

template <class Forward, class... Args>
dnnl::primitive_desc describeForward(dnnl::primitive_attr const& attributes, Args const&... args) {
#if DNNL_VERSION_MAJOR >= 3
    return typename Forward::primitive_desc(dnnlEngine(), dnnl::prop_kind::forward_inference, args..., attributes);
#else
    return typename Forward::primitive_desc({dnnl::prop_kind::forward_inference, args...}, attributes, dnnlEngine());
#endif
}

struct Geometry {
    memory::dims stride, dilation, pre, post;

    explicit Geometry(std::span<FixedSlide const> slides) {
        for (FixedSlide const& slide : slides) {
            stride.push_back(slide.stride);
            dilation.push_back(slide.dilation - 1); // oneDNN counts the gaps
            pre.push_back(slide.pre);
            // the padding that matches the output extent: with rounding, windows may leave or exceed the padding after
            // X
            int64_t const reach = (slide.size - 1) * slide.dilation + 1;
            post.push_back((slide.out - 1) * slide.stride + reach - slide.in - slide.pre);
        }
    }
};

} // namespace

DenseWeights::DenseWeights(PrepareArgs const& args, ConvolutionShape const& convolution) {
    Dims const& w = args.inputs[ConvolutionShape::kWeights];
    int64_t const groups = convolution.groups;
    Dims lies{groups, w[0] / groups, w[1]};
    for (int axis = 2; axis < w.rank(); ++axis) lies.push(w[axis]);
    Dims steps = rowMajorStrides(lies);
    if (convolution.backwards) {
        std::swap(lies[1], lies[2]);
        std::swap(steps[1], steps[2]);
    }
    int const skip = groups == 1 ? 1 : 0;
    dims.assign(lies.begin() + skip, lies.end());
    strides.assign(steps.begin() + skip, steps.end());
}

memory::desc DenseWeights::inOrder(DataType type) const {
    Dims const extents{std::span<int64_t const>(dims)};
    return {dims, toDnnl(type), toDnnl(rowMajorStrides(extents))};
}

std::optional<DnnlProduct> describeConvolution(PrepareArgs const& args, ConvolutionShape const& convolution,
                                               DnnlEpilogue epilogue, ConvolutionTypes const& types) {
    if (!isCounted(args.inputs[0].span()) || !isCounted(args.outputs[0].span())) return std::nullopt;
    auto const x = describe(args.inputs[0], {types.x, args.variant.inputs[0].format, Device::Cpu});
    auto const y = describe(args.outputs[0], args.variant.outputs[0]);
    auto const w = DenseWeights(args, convolution).inAnyOrder(types.weights);
    memory::desc const bias = types.hasBias ? listOf(args.outputs[0][1]) : memory::desc();
    Geometry const at(convolution.forwards());
    constexpr int64_t kMostStride = 1 << 16; // the library multiplies strides as ints, and divides by the product
    if (std::ranges::any_of(at.stride, [](int64_t stride) { return stride > kMostStride; })) return std::nullopt;
    auto const& attributes = epilogue.attributes;
    try {
        if (convolution.backwards)
            return DnnlProduct{
                describeForward<dnnl::deconvolution_forward>(attributes, dnnl::algorithm::deconvolution_direct, x, w,
                                                             bias, y, at.stride, at.dilation, at.pre, at.post),
                std::move(epilogue)};
        return DnnlProduct{describeForward<dnnl::convolution_forward>(attributes, dnnl::algorithm::convolution_direct,
                                                                      x, w, bias, y, at.stride, at.dilation, at.pre,
                                                                      at.post),
                           std::move(epilogue)};
    } catch (dnnl::error const&) {
        return std::nullopt;
    }
}

} // namespace tenon::cpu
