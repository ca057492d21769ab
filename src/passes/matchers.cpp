// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/matchers.h"

#include "layers/constant/constant.h"
#include "layers/pointwise/pointwise.h"

namespace tenon {

int channelAxisOf(Node const& node) {
    return hasEpilogue(*node.layer)->channelAxis(static_cast<int>(node.output()->shape.size()));
}

std::vector<Node*> nodesWithEpilogue(Graph const& graph) {
    std::vector<Node*> all = graph.order();
    std::erase_if(all, [](Node* node) { return hasEpilogue(*node->layer) == nullptr; });
    return all;
}

std::vector<Node*> weightedNodes(Graph const& graph) {
    std::vector<Node*> all = nodesWithEpilogue(graph);
    std::erase_if(all, [](Node* node) { return !hasEpilogue(*node->layer)->hasWeights(); });
    return all;
}

std::optional<std::vector<PointwiseStep>> stepsOf(Node const& node) {
    if (auto const* layer = as<Pointwise>(*node.layer)) return layer->steps;
    auto const step = oneStepOf(*node.layer);
    return step ? std::optional(std::vector{*step}) : std::nullopt;
}

bool isOpen(Tensor const& tensor) {
    auto const* const constant = tensor.producer() ? as<Constant>(*tensor.producer()->layer) : nullptr;
    return constant && constant->isOpen;
}

std::optional<double> numberIn(Tensor const* tensor) {
    Literal const* const literal = tensor->literal();
    bool const isOne = literal && literal->dims().volume() == 1 && isFloat(literal->type()) && !isOpen(*tensor);
    return isOne ? std::optional<double>(literal->toFloat()[0]) : std::nullopt;
}

Node* onlyReader(Graph const& graph, Node const& node) {
    if (node.outputs().size() != 1 || graph.isOutput(node.output())) return nullptr;
    auto const& readers = node.output()->readers();
    return readers.size() == 1 ? readers[0] : nullptr;
}

bool isPerChannel(Tensor const& operand, Shape const& result, int axis) {
    if (operand.shape.size() > result.size()) return false;
    size_t const skipped = result.size() - operand.shape.size();
    for (size_t i = 0; i < operand.shape.size(); ++i) {
        bool const isChannel = skipped + i == static_cast<size_t>(axis);
        bool const right = operand.shape[i] == DimExpr(1) || (isChannel && operand.shape[i] == result[skipped + i]);
        if (!right) return false;
    }
    return true;
}

void absorb(Graph& graph, Node* node, Node* reader) {
    std::swap(node->output()->name, reader->output()->name); // an output of the graph keeps its name
    graph.replaceUses(reader->output(), node->output());
    node->output()->quantum = reader->output()->quantum; // its result now has the range of the last node, or none
    graph.remove(reader);
}

} // namespace tenon
