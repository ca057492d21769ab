// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cudnn_graph.h"
#include "backends/kernel.h"
#include "layers/pointwise/pointwise.h"

namespace tenon::cuda {

/// A step behind a convolution that cuDNN fuses: its operand is the node's input `input`, or there is none (-1).
struct FusedStep {
    CudnnPointwise operation;
    int input = -1;
};

/// The steps from the first on that can be fused at all: with operands of the result's shape.
std::vector<FusedStep> fusable(PrepareArgs const& args, std::span<PointwiseStep const> steps);

} // namespace tenon::cuda
