// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "onnx/term.h"

namespace tenon::onnx {
namespace {

enum class Reduction { None, Sum, Mean };

Reduction reductionOf(NodeReader& node) {
    std::string const name = node.string("reduction", "mean");
    if (name == "none") return Reduction::None;
    if (name == "sum") return Reduction::Sum;
    if (name == "mean") return Reduction::Mean;
    fail(ErrorCode::InvalidModel, "reduction is \"", name, "\"; expected none, sum or mean");
}

/// The number of labels may exceed float16.
Term wideTotal(Term const& x) { return total(cast(x, DataType::Float32)); }

/// -w[label] · p[n, label[n,d…], d…]; w is 1 without weights, and 0 for the ignored label. The mean is weighted too.
/// Log-probabilities p [N,C,d…], labels (input 1) [N,d…], w? (input 2) [C] → loss [N,d…] or []
Term likelihoodLoss(NodeReader& node, Term const& p) {
    Reduction const reduction = reductionOf(node);
    Term const labels = input(node, 1);
    bool const ignores = node.has("ignore_index");
    Term const ignored = equal(labels, static_cast<double>(node.integer("ignore_index", -1)));
    Term const label = ignores ? where(ignored, labels.constant(0), labels) : labels; // a valid index of p
    Term const picked = -squeeze(takeElements(p, unsqueeze(label, {1}), 1), {1});
    Term const weight = node.hasInput(2) ? take(input(node, 2), label, 0) : p.constant(1);
    Term const nothing = p.constant(0);
    Term const loss = ignores ? where(ignored, nothing, picked * weight) : picked * weight;
    if (reduction == Reduction::None) return loss;
    if (reduction == Reduction::Sum) return total(loss);
    Term const weights = ignores ? where(ignored, nothing, weight) : expand(weight, extents(labels));
    return cast(wideTotal(loss) / wideTotal(weights), p->type);
}

std::vector<Tensor*> importNegativeLogLikelihoodLoss(NodeReader& node) {
    return {likelihoodLoss(node, input(node, 0))};
}

std::vector<Tensor*> importSoftmaxCrossEntropyLoss(NodeReader& node) {
    Term const p = logSoftmax(input(node, 0), 1);
    return {likelihoodLoss(node, p), p};
}

} // namespace

ImporterList lossesImporters() {
    static constexpr Importer all[] = {
        {"NegativeLogLikelihoodLoss", importNegativeLogLikelihoodLoss},
        {"SoftmaxCrossEntropyLoss", importSoftmaxCrossEntropyLoss},
    };
    return all;
}

} // namespace tenon::onnx
