// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn.h"
#include "layers/convolution/window.h"
#include "layers/pointwise/pointwise.h"

namespace tenon::cpu {

/// Convolution and Deconvolution as oneDNN sees them. Both have the inputs {x, w, bias, operands of the epilogue…}.
struct DnnlConvolution {
    bool backwards; // Deconvolution; its weights are [C,K/groups,…]
    int64_t groups;
    std::vector<FixedSlide> slides;
    std::span<PointwiseStep const> epilogue;
};

/// Every format and type in which oneDNN has a fast implementation.
Offer offerConvolution(KernelQuery const& query, DnnlConvolution const& convolution);
Packed packConvolution(PrepareArgs const& args, DnnlConvolution const& convolution);
std::unique_ptr<Executable> prepareConvolution(PrepareArgs const& args, DnnlConvolution const& convolution);

} // namespace tenon::cpu
