// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cudnn_epilogue.h"
#include "backends/cuda/cudnn_graph.h"
#include "backends/cuda/epilogue.h"
#include "backends/cuda/strided_copy.h"
#include "layers/convolution/cudnn_convolution_cuda.h"

namespace tenon::cuda {

// Inputs of Convolution and Deconvolution; behind them stand the operands of the epilogue.
inline constexpr int kX = ConvolutionShape::kX;
inline constexpr int kWeights = ConvolutionShape::kWeights;
inline constexpr int kBias = ConvolutionShape::kBias;

inline bool hasBias(Node const& node) { return node.input(kBias) != nullptr; }
inline bool isPacked(Variant const& variant, int input) { return variant.packs(input); }

/// Where the next of several arrays in one block may begin.
inline size_t aligned(size_t bytes) {
    constexpr size_t kAlignment = 256;
    return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

int64_t padded(int64_t channels, Format const& format);
/// [N,C,…] as it lies in memory, with its channels padded.
Dims paddedDims(Dims dims, Format const& format);
/// Elements to step over along each axis of [N,C,…], whose channels are padded already.
Dims stridesOf(Dims const& dims, bool channelsLast);
/// cuDNN knows two spatial axes and three.
Dims withTwoSpatialAxes(Dims const& dims);

/// Of the bias in the type of the result, its channels padded as the result's.
size_t biasBytes(PrepareArgs const& args);

/// The steps behind the convolution that cuDNN can fuse with it, from the first on.
std::vector<CudnnStep> fusedSteps(PrepareArgs const& args, ConvolutionShape const& shape);

/// How the weights lie for a kernel: [outer,inner,window…] in the order of the data, channels padded alike.
struct WeightLayout {
    Dims from; // as the layer has them
    Dims dims;
    bool channelsLast;

    WeightLayout(PrepareArgs const& args, ConvolutionShape const& shape);
    Dims strides() const { return stridesOf(dims, channelsLast); }
    size_t bytes(DataType type) const { return bytesOf(type, dims.volume()); }
    bool isAsGiven() const { return !channelsLast && dims == from; }
    /// put(place, outer, value) for each weight: where it goes, and its number along the outer axis.
    void place(Literal const& weights, std::function<void(int64_t, int64_t, float)> const& put) const;
};

/// Of weights in this layout and the bias behind them, as far as they are packed.
size_t packedBytes(PrepareArgs const& args, WeightLayout const& layout);

/// With padding behind that explains the output's extent: the same as in front where that does, because few engines
/// have another.
std::vector<FixedSlide> settled(std::vector<FixedSlide> slides);
/// There are as many windows as fit, which is how cuDNN counts them; a program's formula may want fewer.
bool fillsWindows(std::span<FixedSlide const> slides);
bool isEven(std::span<FixedSlide const> slides);

/// [N,C,…] with the padding of the slides.
Dims withPadding(Dims x, std::span<FixedSlide const> slides);
/// X, as it lies, into the middle of such a tensor.
StridedCopy copyWithPadding(PrepareArgs const& args, std::span<FixedSlide const> slides);

CudnnWindow windowOf(std::span<FixedSlide const> slides);

} // namespace tenon::cuda
