// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cudnn_graph.h"
#include "backends/kernel.h"
#include "steps/epilogue.h"

namespace tenon::cuda {

/// A step of an epilogue as a cuDNN operation: its operand is the node's input `input`, or there is none (-1).
struct CudnnStep {
    CudnnPointwise operation;
    int input = -1;
};

/// The leading steps that cuDNN supports: with operands of the result's shape. `isPadded`: the result's channels are
/// padded with zeros, which must stay zero.
std::vector<CudnnStep> cudnnEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps, bool isPadded);

} // namespace tenon::cuda
