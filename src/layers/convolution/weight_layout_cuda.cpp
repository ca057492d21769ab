// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/weight_layout_cuda.h"

#include <algorithm>

namespace tenon::cuda {

int64_t padded(int64_t channels, Format const& format) {
    return (channels + format.block - 1) / format.block * format.block;
}

Dims paddedDims(Dims dims, Format const& format) {
    dims[1] = padded(dims[1], format);
    return dims;
}

Dims stridesOf(Dims const& dims, bool channelsLast) {
    if (!channelsLast) return rowMajorStrides(dims);
    Dims strides = Dims::filled(dims.rank(), 1);
    int64_t step = dims[1];
    for (int axis = dims.rank() - 1; axis >= 2; --axis) {
        strides[axis] = step;
        step *= dims[axis];
    }
    strides[0] = step;
    return strides;
}

Dims withTwoSpatialAxes(Dims const& dims) { return dims.rank() == 3 ? Dims{dims[0], dims[1], 1, dims[2]} : dims; }

std::vector<CudnnStep> fusedSteps(PrepareArgs const& args, ConvolutionShape const& shape) {
    int64_t const channels = args.outputs[0][1];
    return cudnnEpilogue(args, shape.epilogue, padded(channels, args.variant.outputs[0].format) != channels);
}

size_t biasBytes(PrepareArgs const& args) {
    Label const& y = args.variant.outputs[0];
    return bytesOf(y.type, padded(args.outputs[0][1], y.format));
}

size_t packedBytes(PrepareArgs const& args, WeightLayout const& layout) {
    size_t const weights = aligned(layout.bytes(args.variant.inputs[kX].type));
    return weights + (isPacked(args.variant, kBias) ? biasBytes(args) : 0);
}

WeightLayout::WeightLayout(PrepareArgs const& args, ConvolutionShape const& shape)
    : from(args.inputs[kWeights]), dims(from), channelsLast(args.variant.inputs[kX].format.channelsLast) {
    Format const& x = args.variant.inputs[kX].format;
    Format const& y = args.variant.outputs[0].format;
    if (shape.groups != 1) return;
    dims[0] = padded(from[0], shape.backwards ? x : y);
    dims[1] = padded(from[1], shape.backwards ? y : x);
}

void WeightLayout::place(Literal const& weights, std::function<void(int64_t, int64_t, float)> const& put) const {
    Dims const steps = strides();
    Dims index = Dims::filled(from.rank(), 0);
    for (float const value : weights.toFloat()) {
        int64_t at = 0;
        for (int axis = 0; axis < index.rank(); ++axis) at += index[axis] * steps[axis];
        put(at, index[0], value);
        nextIndex(index, from);
    }
}

std::vector<FixedSlide> settled(std::vector<FixedSlide> slides) {
    for (FixedSlide& slide : slides) {
        int64_t const reach = (slide.size - 1) * slide.dilation + 1;
        int64_t const least = (slide.out - 1) * slide.stride + reach - slide.in - slide.pre;
        bool const likePre = slide.pre >= least && slide.pre < least + slide.stride;
        slide.post = likePre ? slide.pre : std::max<int64_t>(least, 0);
    }
    return slides;
}

bool fillsWindows(std::span<FixedSlide const> slides) {
    return std::ranges::all_of(slides, [](FixedSlide const& slide) {
        int64_t const room = slide.in + slide.pre + slide.post - (slide.size - 1) * slide.dilation - 1;
        return room / slide.stride + 1 == slide.out;
    });
}

bool isEven(std::span<FixedSlide const> slides) {
    return std::ranges::all_of(slides, [](FixedSlide const& slide) { return slide.pre == slide.post; });
}

Dims withPadding(Dims x, std::span<FixedSlide const> slides) {
    for (size_t i = 0; i < slides.size(); ++i) x[static_cast<int>(i) + 2] += slides[i].pre + slides[i].post;
    return x;
}

StridedCopy copyWithPadding(PrepareArgs const& args, std::span<FixedSlide const> slides) {
    Label const& label = args.variant.inputs[kX];
    Dims const from = paddedDims(args.inputs[kX], label.format);
    Dims const fromStrides = stridesOf(from, label.format.channelsLast);
    Dims const toStrides = stridesOf(withPadding(from, slides), label.format.channelsLast);
    StridedCopy copy{label.type, from, fromStrides, toStrides};
    for (size_t i = 0; i < slides.size(); ++i) copy.toOffset += slides[i].pre * toStrides[static_cast<int>(i) + 2];
    if (!label.format.channelsLast) return copy;
    for (Dims* dims : {&copy.dims, &copy.fromStrides, &copy.toStrides}) {
        int64_t const channels = (*dims)[1];
        for (int axis = 1; axis + 1 < dims->rank(); ++axis) (*dims)[axis] = (*dims)[axis + 1];
        (*dims)[dims->rank() - 1] = channels;
    }
    return copy;
}

CudnnWindow windowOf(std::span<FixedSlide const> slides) {
    CudnnWindow made;
    if (slides.size() == 1) made = {{1}, {1}, {0}, {0}};
    for (FixedSlide const& slide : slides) {
        made.stride.push(slide.stride);
        made.dilation.push(slide.dilation);
        made.pre.push(slide.pre);
        made.post.push(slide.post);
    }
    return made;
}

} // namespace tenon::cuda
