// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/weighted.h"

#include "layers/constant/constant.h"
#include "layers/convolution/convolution.h"
#include "layers/deconvolution/deconvolution.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/normalization/normalization.h"
#include "layers/pointwise/pointwise.h"

namespace tenon {

EpilogueOf epilogueOf(Node& node) {
    if (auto* layer = as<Convolution>(*node.layer)) return {&layer->epilogue, Convolution::kFirstExtra};
    if (auto* layer = as<Deconvolution>(*node.layer)) return {&layer->epilogue, Deconvolution::kFirstExtra};
    if (auto* layer = as<MatrixMultiply>(*node.layer)) return {&layer->epilogue, MatrixMultiply::kFirstExtra};
    if (auto* layer = as<Normalization>(*node.layer)) return {&layer->epilogue, Normalization::kFirstExtra};
    return {};
}

int channelAxisOf(Node const& node) {
    bool const isLast = node.kind() == MatrixMultiply::kKind || node.kind() == Normalization::kKind;
    return isLast ? static_cast<int>(node.output()->shape.size()) - 1 : 1;
}

std::vector<Node*> nodesWithEpilogue(Graph const& graph) {
    std::vector<Node*> all = graph.order();
    std::erase_if(all, [](Node* node) { return epilogueOf(*node).steps == nullptr; });
    return all;
}

std::vector<Node*> weightedNodes(Graph const& graph) {
    std::vector<Node*> all = nodesWithEpilogue(graph);
    std::erase_if(all, [](Node* node) { return node->kind() == Normalization::kKind; });
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
    node->output()->quantum = reader->output()->quantum; // what it makes now has the range of that, or none
    graph.remove(reader);
}

} // namespace tenon
