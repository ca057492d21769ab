// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "onnx/term.h"

namespace tenon::onnx {
namespace {

/// (x - mean) / (standard deviation + 1e-9)
std::vector<Tensor*> importMeanVarianceNormalization(NodeReader& node) {
    Term const x = input(node, 0);
    auto const axes = node.integers("axes", {0, 2, 3});
    Term const wide = cast(x, DataType::Float32);
    Term const centered = wide - mean(wide, axes);
    return {cast(centered / (sqrt(mean(centered * centered, axes)) + 1e-9), x->type)};
}

/// x / |x|, and 0 where all of x is 0.
std::vector<Tensor*> importLpNormalization(NodeReader& node) {
    int64_t const p = node.integer("p", 2);
    if (p != 1 && p != 2) fail(ErrorCode::InvalidModel, "p is ", p, "; expected 1 or 2");
    Term const x = input(node, 0);
    Term const norm = reduce(p == 1 ? ReduceOperation::L1 : ReduceOperation::L2, x, {node.integer("axis", -1)});
    return {where(equal(norm, 0), norm, x / norm)};
}

} // namespace

ImporterList normsImporters() {
    static constexpr Importer all[] = {{"MeanVarianceNormalization", importMeanVarianceNormalization},
                                       {"LpNormalization", importLpNormalization}};
    return all;
}

} // namespace tenon::onnx
