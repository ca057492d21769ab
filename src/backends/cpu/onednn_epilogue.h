// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn.h"
#include "layers/pointwise/pointwise.h"

namespace tenon::cpu {

/// The first steps of a node's epilogue as oneDNN's post-ops.
struct DnnlEpilogue {
    dnnl::primitive_attr attributes = userScratchpad();
    std::vector<DnnlArgument> arguments; // operands that are tensors
    size_t steps = 0;                    // that the post-ops compute; finishedInPlace() does the others
};

/// How an operand of an epilogue should lie beside a result: like it where both have its shape, else linear.
Label operandLabel(Dims const& operand, Dims const& result, Label const& label);

/// Post-ops for as many steps of a chain as oneDNN computes right, `most` at most; operand i is the node's input
/// firstExtra + i - 1. An empty optional when the steps are no chain, or those that remain cannot be done in place.
std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<PointwiseStep const> steps, int firstExtra,
                                         size_t most = SIZE_MAX);

/// Runs `inner`, which computes the first `done` steps too, and then the others over the output where it lies.
std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<PointwiseStep const> steps,
                                            int firstExtra, size_t done, std::unique_ptr<Executable> inner);
/// What that takes in nanoseconds, beside `inner`.
double finishingCost(PrepareArgs const& args, size_t stepsLeft);

} // namespace tenon::cpu
