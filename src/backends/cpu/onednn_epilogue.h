// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn.h"
#include "layers/pointwise/pointwise.h"

namespace tenon::cpu {

/// The epilogue of a node as oneDNN's post-ops.
struct DnnlEpilogue {
    dnnl::primitive_attr attributes = userScratchpad();
    std::vector<DnnlArgument> arguments; // operands that are tensors
};

/// How an operand of an epilogue should lie beside a result: like it where both have its shape, else linear.
Label operandLabel(Dims const& operand, Dims const& result, Label const& label);

/// Post-ops for the chain of `steps`; operand i is the node's input firstExtra + i - 1. An empty optional when the
/// steps are no chain or oneDNN lacks one of them.
std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<PointwiseStep const> steps, int firstExtra);

/// Runs `inner`, which leaves the epilogue out, and then the steps over the output where it lies.
std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<PointwiseStep const> steps,
                                            int firstExtra, std::unique_ptr<Executable> inner);

} // namespace tenon::cpu
