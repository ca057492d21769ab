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

/// Whether oneDNN may leave what own kernels take to these: not where a plan names it, or where a limit for workspaces
/// may refuse them.
inline bool mayLeaveToOwn(KernelQuery const& query) { return query.said == nullptr && !query.hasLimit; }
inline constexpr std::string_view kLeftToOwn = "leaves it to kernels of Tenon";

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

/// A convolution or matrix product that oneDNN would run, with the first steps of its node's epilogue.
struct DnnlProduct {
    dnnl::primitive_desc description;
    DnnlEpilogue epilogue;

    dnnl::memory::desc weights() const { return description.query_md(dnnl::query::weights_md, 0); }
    /// Whether oneDNN's name of it has this part: "ref", "gemm".
    bool is(std::string_view implementation) const {
        return std::string_view(description.impl_info_str()).find(implementation) != std::string_view::npos;
    }
};

/// An argument as it is there, and the order in which a primitive wants it.
struct DnnlWanted {
    DnnlArgument from;
    dnnl::memory::desc desc;
};

/// Whether the steps from `done` on can be done over the output where it lies.
bool finishesInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done);
/// Runs `inner`, which computes the first `done` steps too, and then the others over the output where it lies.
std::unique_ptr<Executable> finishedInPlace(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done,
                                            std::unique_ptr<Executable> inner);
/// A product of input 0 as output 0, which still lacks its weights and its scratchpad.
DnnlStep stepOf(DnnlProduct const& made, DnnlProgram& program);
/// A product of input 0 and `weights`, which may be a bias too, as output 0, and the steps that it leaves.
std::unique_ptr<Executable> prepareProduct(PrepareArgs const& args, std::span<EpilogueStep const> steps,
                                           DnnlProduct const& made, std::span<DnnlWanted const> weights);
/// What the steps left take in nanoseconds, beside what computes the first of them.
double finishingCost(PrepareArgs const& args, size_t stepsLeft);

} // namespace tenon::cpu
