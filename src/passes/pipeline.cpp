// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/pass.h"

#include "base/error.h"
#include "passes/find_attention.h"
#include "passes/find_normalization.h"
#include "passes/find_quanta.h"
#include "passes/fold_batch_norm.h"
#include "passes/fold_constants.h"
#include "passes/fuse_epilogue.h"
#include "passes/fuse_pointwise.h"
#include "passes/fuse_skip.h"
#include "passes/keep_int4.h"
#include "passes/lower_attention.h"
#include "passes/lower_einsum.h"
#include "passes/move_quantization.h"
#include "passes/outline_control.h"
#include "passes/remove_dead.h"
#include "passes/take_branches.h"

namespace tenon {

std::span<Pass const> outlining() {
    static constexpr Pass all[]{
        {"outline_control", outlineControl},
        {"take_branches", [](Graph& graph) { takeBranches(graph); }},
    };
    return all;
}

std::span<Pass const> pipeline() {
    static constexpr Pass all[]{
        {"lower_einsum", lowerEinsum},
        {"lower_attention", lowerAttention},
        {"move_quantization", moveQuantization},
        {"fold_constants", foldConstants},
        {"keep_int4", keepInt4},
        {"remove_dead", removeDead},
        {"find_normalization", findNormalization, false, "computes layers that form a normalization as one"},
        {"fold_batch_norm", foldBatchNorm, false, "folds scales and shifts into the weights of their neighbors"},
        {"find_attention", findAttention, false, "computes layers that form an attention as one"},
        {"fuse_pointwise", fusePointwise, false, "computes chains of elementwise layers as one"},
        {"fuse_epilogue", fuseEpilogue, true, "computes elementwise layers in the product or convolution before them"},
        {"fuse_skip", fuseSkip, false, "adds skip connections in the normalization after them"},
        {"find_quanta", findQuanta},
    };
    return all;
}

void runPasses(Graph& graph, std::span<Pass const> passes, Log const& log) {
    for (Pass const& pass : passes) {
        size_t const before = graph.nodes().size();
        locate([&] { return text("pass ", pass.name); }, [&] { pass.run(graph); });
        say(log, Severity::Verbose,
            text("pass ", pass.name, ": ", before, " nodes before, ", graph.nodes().size(), " after"));
    }
}

} // namespace tenon
