// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/convolution/cudnn_convolution_cuda.h"

namespace tenon::cuda {

/// One spatial axis of a convolution, and how far its tensors' elements lie apart along it.
struct DirectAxis {
    int in = 1, size = 1, stride = 1, dilation = 1, pre = 0, out = 1; // `in` is X's extent, `out` is Y's
    int64_t xStep = 0, wStep = 0, yStep = 0;
};

/// A convolution as its definition says it, for everything that nothing else takes. Sums in float32.
struct DirectPlan {
    static constexpr int kAxes = 3;
    DirectAxis axes[kAxes];
    int64_t xBatch, xChannel, wOuter, wInner, yBatch, yChannel; // steps
    int inPerGroup, outPerGroup;                                // channels
    int outChannels, outStored;                                 // without padding and with it
    bool backwards;
};

class DirectConvolution {
public:
    /// `weightStrides`: of [outer,inner,window…].
    DirectConvolution(PrepareArgs const& args, ConvolutionShape const& shape, Dims const& weightStrides);
    /// X [N,C,in…], W → Y [N,K,out…], all of one type; no bias.
    void launch(void const* x, void const* w, void* y, void* stream) const;

private:
    DirectPlan plan_;
    DataType type_;
    int64_t count_;
};

/// A kernel around it, for layers with their weights as they are: the last of their lists.
Kernel const& directConvolution();

} // namespace tenon::cuda
