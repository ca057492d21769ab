// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/onednn.h"
#include "steps/epilogue.h"

namespace tenon::cpu {

/// The first steps of a node's epilogue as oneDNN's post-ops.
struct DnnlEpilogue {
    dnnl::primitive_attr attributes = userScratchpad();
    std::vector<DnnlArgument> arguments; // operands that are tensors
    size_t steps = 0;                    // that the post-ops compute; finishedInPlace() does the others
};

/// Post-ops for as many steps from the first on as oneDNN computes right, `most` at most. An empty optional when those
/// that remain cannot be done in place.
std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         size_t most = SIZE_MAX);

/// Runs `inner`, which computes the first `done` steps too, and then the others over the output where it lies.
std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done,
                                            std::unique_ptr<Executable> inner);
/// What that takes in nanoseconds, beside `inner`.
double finishingCost(PrepareArgs const& args, size_t stepsLeft);

} // namespace tenon::cpu
