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
#include "passes/remove_dead.h"

namespace tenon {

std::span<Pass const> pipeline() {
    static constexpr Pass all[]{
        {"lower_einsum", lowerEinsum},
        {"lower_attention", lowerAttention},
        {"move_quantization", moveQuantization},
        {"fold_constants", foldConstants},
        {"keep_int4", keepInt4},
        {"remove_dead", removeDead},
        {"find_normalization", findNormalization},
        {"fold_batch_norm", foldBatchNorm},
        {"find_attention", findAttention},
        {"fuse_pointwise", fusePointwise},
        {"fuse_epilogue", fuseEpilogue, true},
        {"fuse_skip", fuseSkip},
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
