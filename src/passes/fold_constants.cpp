// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fold_constants.h"

#include "base/error.h"
#include "graph/evaluate.h"
#include "layers/constant/constant.h"
#include "passes/matchers.h"

#include <algorithm>
#include <unordered_set>

namespace tenon {
namespace {

/// Whether the data that the reference reads of an input are known.
bool isKnown(Node const& node, size_t input) {
    Tensor const* tensor = node.inputs()[input];
    if (tensor == nullptr || tensor->literal() != nullptr) return true;
    return node.layer->readsShapeOnly(static_cast<int>(input)) && isConstant(tensor->shape);
}

/// The results of a node that reads constants only; empty for other nodes, and if they would be much larger.
std::vector<Literal> computed(Node const& node) {
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (!isKnown(node, i)) return {};
    }
    if (!std::ranges::all_of(node.outputs(), [](Tensor const* output) { return isComputed(output->type); })) return {};
    return locate([&] { return text(node); }, [&] { return computeAhead(node, operandsOf(node), kKeptBudget); });
}

/// A tensor without elements, whatever it is computed from.
std::optional<Literal> empty(Tensor const& tensor) {
    if (!isConstant(tensor.shape) || toDims(tensor.shape).volume() != 0) return std::nullopt;
    return Literal::copyOf(tensor.type, toDims(tensor.shape), nullptr);
}

class Folding {
public:
    explicit Folding(Graph& graph) : graph_(graph) {}

    void run() {
        for (Node* node : graph_.order()) {
            if (node->layer->constant() || node->outputs().empty() || !node->layer->hasReference()) continue;
            if (std::ranges::any_of(node->inputs(), [&](Tensor* t) { return changed_.contains(t); })) inferAgain(node);
            fold(node);
        }
    }

private:
    void inferAgain(Node* node) {
        std::vector<Shape> before;
        for (Tensor const* output : node->outputs()) before.push_back(output->shape);
        graph_.infer(node);
        for (size_t i = 0; i < before.size(); ++i) {
            Tensor* output = node->outputs()[i];
            if (output->shape != before[i] || output->values) changed_.insert(output);
        }
    }

    void fold(Node* node) {
        auto results = computed(*node);
        for (size_t i = 0; i < node->outputs().size(); ++i) {
            auto literal = results.empty() ? empty(*node->outputs()[i]) : results[i];
            if (!literal) literal = valuesOf(*node->outputs()[i]);
            if (literal) replace(node->outputs()[i], *literal);
        }
        bool const unread = std::ranges::all_of(
            node->outputs(), [&](Tensor* output) { return output->readers().empty() && !graph_.isOutput(output); });
        if (unread) graph_.remove(node);
    }

    void replace(Tensor* tensor, Literal const& literal) {
        Node const& from = *tensor->producer();
        auto layer = from.layer->folded(operandsOf(from), literal);
        if (!layer) {
            auto plain = std::make_unique<Constant>(literal);
            plain->isOpen =
                std::ranges::any_of(from.inputs(), [](Tensor const* input) { return input && isOpen(*input); });
            layer = std::move(plain);
        }
        Tensor* constant = graph_.add(std::move(layer), {}, text(from.name, " folded"))->output();
        if (graph_.isOutput(tensor)) graph_.replaceOutput(tensor, constant);
        graph_.replaceUses(tensor, constant);
        changed_.insert(constant);
    }

    Graph& graph_;
    std::unordered_set<Tensor const*> changed_;
};

} // namespace

void foldConstants(Graph& graph) { Folding(graph).run(); }

} // namespace tenon
