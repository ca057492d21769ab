// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fuse_skip.h"

#include "layers/normalization/normalization.h"
#include "passes/matchers.h"

#include <algorithm>
#include <optional>

namespace tenon {
namespace {

/// The terms of a sum, in the order of adding; empty if the node computes something else, adds a term twice, or adds
/// sums to each other.
std::optional<std::vector<Tensor*>> termsOf(Node const& node) {
    auto const steps = stepsOf(node);
    if (!steps) return std::nullopt;
    auto const inputs = static_cast<int64_t>(node.inputs().size());
    std::vector<int64_t> order;
    for (PointwiseStep const& step : *steps) {
        int64_t const before = order.empty() ? step.a : inputs + std::ssize(order) - 2;
        int64_t const other = step.a == before ? step.b : step.a;
        bool const adds = step.op == PointwiseOp::Sum && (step.a == before || step.b == before);
        if (order.empty()) order.push_back(before);
        if (!adds || other >= inputs || std::ranges::count(order, other) != 0) return std::nullopt;
        order.push_back(other);
    }
    if (std::ssize(order) != inputs) return std::nullopt;
    std::vector<Tensor*> terms;
    for (int64_t number : order) terms.push_back(node.input(static_cast<int>(number)));
    return terms;
}

/// The inputs of a normalization of the sum: two terms of its shape, or one, followed by a term that broadcasts, which
/// kernels add last.
std::optional<std::vector<Tensor*>> inputsWith(std::vector<Tensor*> const& terms, Node const& normalization) {
    std::vector<Tensor*> inputs = normalization.inputs();
    Tensor const& sum = *inputs[Normalization::kX];
    inputs[Normalization::kX] = nullptr;
    inputs.resize(std::max<size_t>(inputs.size(), Normalization::kFirstExtra));
    for (Tensor* term : terms) {
        bool const isWhole = term->shape == sum.shape;
        auto const places = isWhole ? std::pair{Normalization::kX, Normalization::kSkip}
                                    : std::pair{Normalization::kShift, Normalization::kShift};
        Tensor*& place = inputs[inputs[places.first] == nullptr ? places.first : places.second];
        if (place != nullptr || term->type != sum.type) return std::nullopt;
        place = term;
    }
    bool const isInOrder = terms.size() < 3 || inputs[Normalization::kShift] == terms.back();
    if (!isInOrder) return std::nullopt;
    while (inputs.back() == nullptr) inputs.pop_back();
    return inputs[Normalization::kX] ? std::optional(inputs) : std::nullopt;
}

void takeSum(Graph& graph, Node* node) {
    Node* const sum = node->input(Normalization::kX)->producer();
    bool const isAlone = sum != nullptr && onlyReader(graph, *sum) == node &&
                         node->input(Normalization::kSkip) == nullptr && node->input(Normalization::kShift) == nullptr;
    auto const terms = isAlone ? termsOf(*sum) : std::nullopt;
    auto const inputs = terms ? inputsWith(*terms, *node) : std::nullopt;
    if (!inputs || !refusalOf(*as<Normalization>(*node->layer), *inputs).empty()) return;
    graph.setInputs(node, *inputs);
    graph.remove(sum);
}

} // namespace

void fuseSkip(Graph& graph) {
    for (Node* node : graph.order()) {
        if (node->kind() == Normalization::kKind) takeSum(graph, node);
    }
}

} // namespace tenon
