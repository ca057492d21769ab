// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "layers/convolution/convolution_shape.h"

namespace tenon::cuda {

/// Convolution and Deconvolution: float32 linear and channels last; float16 and bfloat16 channels last, in whole groups
/// of 8 channels. Its tactics are numbers of engines in the order of cuDNN's heuristics.
Kernel const& cudnnConvolution();
std::unique_ptr<Executable> prepareCudnnConvolution(PrepareArgs const& args, ConvolutionShape const& shape);

/// The labels of all inputs of a convolution kernel and what of them it packs: weights, and a bias beside them.
Variant convolutionVariant(KernelQuery const& query, Label const& x, Label const& y);

} // namespace tenon::cuda
