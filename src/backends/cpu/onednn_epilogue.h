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
    std::vector<DnnlConstant> constants; // operands that are constants
    bool hasBias = false;                // one of them, in float32: part of the primitive's descriptor
    size_t steps = 0;                    // computed by the post-ops; finishedInPlace() does the others
};

/// Whether oneDNN may decline work in favor of Tenon's kernels: not if a plan names it, or if a workspace limit may
/// exclude them.
inline bool mayLeaveToOwn(KernelQuery const& query) { return query.said == nullptr && !query.hasLimit; }
inline constexpr std::string_view kLeftToOwn = "declines in favor of Tenon's kernels";

/// Post-ops for as many leading steps as oneDNN computes correctly, `most` at most. nullopt if the remaining ones
/// cannot be done in place.
std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         size_t most = SIZE_MAX);

/// Sums of integer products, and their conversion to real values: factor · sum + bias.
struct IntegerSums {
    int channelAxis = 1;        // of the result
    int channelsOfWeights = 1;  // mask of the weights' axes along which channels change
    int32_t zeroOfX = 0;        // zero point of X, to be removed from the sums
    std::vector<float> factors; // one per channel, or one for all
    std::vector<float> bias;    // one per channel, or none
};

/// Post-ops for integers: the conversion of the sums to real values, as many steps as oneDNN computes correctly, and
/// the quantization of an integer output. nullopt as above, and if steps on integers would remain.
std::optional<DnnlEpilogue> dnnlEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                         IntegerSums const& sums);

/// The label of an operand of such a node's epilogue: integers if possible and requested, else float32.
Label operandLabel(KernelQuery const& query, size_t input, Label const& result, bool wantsIntegers);
/// Whether one of the inputs from `first` on is stored as integers.
bool readsIntegers(Variant const& variant, size_t first);

/// A convolution or matrix product that oneDNN would run, with the first steps of its node's epilogue.
struct DnnlProduct {
    dnnl::primitive_desc description;
    DnnlEpilogue epilogue;

    dnnl::memory::desc weights() const { return description.query_md(dnnl::query::weights_md, 0); }
    /// Whether oneDNN's implementation name contains this part: "ref", "gemm".
    bool is(std::string_view implementation) const {
        return std::string_view(description.impl_info_str()).find(implementation) != std::string_view::npos;
    }
};

/// An existing argument, and the order that a primitive requires.
struct DnnlWanted {
    DnnlArgument from;
    dnnl::memory::desc desc;
};

/// Whether the steps from `done` on can be computed on the output in place.
bool finishesInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done);
/// Runs `inner`, which also computes the first `done` steps, and then the others on the output in place.
std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done,
                                            std::unique_ptr<Executable> inner);
/// A product of input 0 as output 0; its weights and scratchpad are not set yet.
DnnlStep stepOf(DnnlProduct const& made, DnnlProgram& program);
/// A product of input 0 and `weights`, which may include a bias, as output 0, and the steps that it leaves.
std::unique_ptr<Executable> prepareProduct(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                           DnnlProduct const& made, std::span<DnnlWanted const> weights);
/// The cost of the remaining steps in nanoseconds.
double finishingCost(PrepareArgs const& args, size_t stepsLeft);

} // namespace tenon::cpu
