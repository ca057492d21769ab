// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cudnn_convolution.h"

namespace tenon::cuda {

/// X int8 with a scale, channels last → Y in int8 with a scale or in a type that the output may have. Weights are
/// constant and quantized when they are packed, each output channel by its largest: one convolution of integers, summed
/// in int32; bias and epilogue follow in float32.
Offer offerInt8Convolution(KernelQuery const& query, ConvolutionShape const& shape);
Packed packInt8Convolution(PrepareArgs const& args, ConvolutionShape const& shape);
std::string int8ConvolutionKey(Variant const& variant);
std::unique_ptr<Executable> prepareInt8Convolution(PrepareArgs const& args, ConvolutionShape const& shape);

} // namespace tenon::cuda
