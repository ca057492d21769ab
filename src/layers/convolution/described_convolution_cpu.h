// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn_epilogue.h"
#include "layers/convolution/convolution_shape.h"

namespace tenon::cpu {

/// How weights lie in the node's input, with the axes in oneDNN's order.
/// W [K,C/groups,window…] (backwards [C,K/groups,window…]) → [groups,K/groups,C/groups,window…], groups only if many
struct DenseWeights {
    dnnl::memory::dims dims;
    dnnl::memory::dims strides;

    DenseWeights(PrepareArgs const& args, ConvolutionShape const& convolution);
    dnnl::memory::desc as(DataType type) const { return {dims, toDnnl(type), strides}; }
    dnnl::memory::desc inAnyOrder(DataType type) const { return {dims, toDnnl(type), dnnl::memory::format_tag::any}; }
    /// Row-major along oneDNN's axes.
    dnnl::memory::desc inOrder(DataType type) const;
};

struct ConvolutionTypes {
    DataType x;
    DataType weights;
    bool hasBias; // beside the epilogue, in float32
};

/// A convolution or its inverse; an empty optional when oneDNN has nothing for these labels.
std::optional<DnnlProduct> describeConvolution(PrepareArgs const& args, ConvolutionShape const& convolution,
                                               DnnlEpilogue epilogue, ConvolutionTypes const& types);

} // namespace tenon::cpu
