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
    std::vector<DnnlConstant> constants; // operands that are numbers
    bool hasBias = false;                // one of them, in float32: the primitive is described with it
    size_t steps = 0;                    // that the post-ops compute; finishedInPlace() does the others
};

/// Post-ops for as many steps from the first on as oneDNN computes right, `most` at most. An empty optional when those
/// that remain cannot be done in place.
std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         size_t most = SIZE_MAX);

/// Sums of products of integers, and what makes real numbers of them: factor · sum + bias.
struct IntegerSums {
    int channelAxis = 1;        // of the result
    int channelsOfWeights = 1;  // mask of their axes along which channels change
    int32_t zeroOfX = 0;        // the sums are to be without it
    std::vector<float> factors; // one for each channel, or one for all
    std::vector<float> bias;    // one for each channel, or none
};

/// Post-ops for integers: those that make real numbers of the sums, as many steps as oneDNN computes right, and where
/// the output is kept in integers what makes those of the real numbers. An empty optional as above, and where steps on
/// integers would remain.
std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         IntegerSums const& sums);

/// How an operand of such a node's epilogue lies beside the result: in integers where it may, if these are wanted, and
/// else in float32.
Label operandLabel(KernelQuery const& query, size_t input, Label const& result, bool wantsIntegers);
/// Whether one of the inputs from `first` on is kept in integers.
bool readsIntegers(Variant const& variant, size_t first);

/// Runs `inner`, which computes the first `done` steps too, and then the others over the output where it lies.
std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done,
                                            std::unique_ptr<Executable> inner);
/// What that takes in nanoseconds, beside `inner`.
double finishingCost(PrepareArgs const& args, size_t stepsLeft);

} // namespace tenon::cpu
