// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "layers/convolution/window.h"
#include "layers/pointwise/pointwise.h"

namespace tenon::cuda {

/// Convolution and Deconvolution as kernels see them. Both have the inputs {x, w, bias, operands of the epilogue…}.
struct ConvolutionShape {
    bool backwards; // Deconvolution; its weights are [C,K/groups,…]
    int64_t groups;
    std::vector<FixedSlide> slides;
    std::span<PointwiseStep const> epilogue;

    /// The window as it slides over the larger side: X, or Y where it is backwards.
    std::vector<FixedSlide> forwards() const;
    /// Products and sums of one run.
    double operations(std::span<Dims const> inputs, std::span<Dims const> outputs) const;
};

/// float32 linear and channels last; float16 and bfloat16 channels last, in whole groups of 8 channels.
Offer offerCudnnConvolution(KernelQuery const& query, ConvolutionShape const& shape);
Packed packCudnnConvolution(PrepareArgs const& args, ConvolutionShape const& shape);
/// Numbers of engines in the order of cuDNN's heuristics.
std::vector<int64_t> cudnnConvolutionTactics(Variant const& variant);
std::string cudnnConvolutionKey(Variant const& variant);
std::unique_ptr<Executable> prepareCudnnConvolution(PrepareArgs const& args, ConvolutionShape const& shape);

/// The labels of all inputs of a convolution kernel and what of them it packs: weights, and a bias beside them.
Variant convolutionVariant(KernelQuery const& query, Label const& x, Label const& y);

} // namespace tenon::cuda
