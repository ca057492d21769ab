// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fuse_epilogue.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "passes/matchers.h"
#include "steps/epilogue.h"

#include <algorithm>

namespace tenon {
namespace {

/// Operands that kernels read fast: of the shape of the result, or with one number per channel.
bool fitsResult(Tensor const& operand, Node const& node) {
    Shape const& result = node.output()->shape;
    return operand.type == node.output()->type &&
           (operand.shape == result || isPerChannel(operand, result, channelAxisOf(node)));
}

/// The steps of `reader` as a chain on the result of `node`, whose operands are inputs of the reader; nullopt if they
/// do not form one.
std::optional<Epilogue> chainOf(Node const& reader, Node const& node) {
    auto const steps = stepsOf(reader);
    auto const& inputs = reader.inputs();
    if (!steps || std::ranges::count(inputs, node.output()) != 1) return std::nullopt;
    auto const start = std::ranges::find(inputs, node.output()) - inputs.begin();
    auto chain = chainFrom(start, *steps, static_cast<int64_t>(inputs.size()));
    auto const fits = [&](EpilogueStep const& step) {
        return fitsEpilogue(step) && (step.input < 0 || fitsResult(*reader.input(static_cast<int>(step.input)), node));
    };
    return chain && std::ranges::all_of(*chain, fits) ? chain : std::nullopt;
}

int64_t operandsOf(Epilogue const& steps) {
    return std::ranges::count_if(steps, [](EpilogueStep const& step) { return step.input >= 0; });
}

bool hasRoom(Epilogue const& before, Epilogue const& more) {
    return before.size() + more.size() <= kMostEpilogueSteps &&
           operandsOf(before) + operandsOf(more) <= static_cast<int64_t>(kMostEpilogueInputs);
}

/// Each operand becomes an input.
void append(Graph& graph, Node* node, Epilogue const& chain, Node const& reader) {
    HasEpilogue& to = *hasEpilogue(*node->layer);
    for (EpilogueStep step : chain) {
        if (step.input >= 0) {
            int const input = std::max(to.firstOperand(), static_cast<int>(node->inputs().size()));
            graph.setInput(node, input, reader.input(static_cast<int>(step.input)));
            step.input = input;
        }
        to.epilogue.push_back(step);
    }
}

bool fuseReader(Graph& graph, Node* node) {
    Node* const reader = onlyReader(graph, *node);
    if (reader == nullptr || !isFloat(node->output()->type)) return false;
    auto const chain = chainOf(*reader, *node);
    if (!chain || !hasRoom(hasEpilogue(*node->layer)->epilogue, *chain)) return false;
    if (auto const* product = as<MatrixMultiply>(*node->layer)) {
        bool const vector = product->a == MatrixOperation::Vector || product->b == MatrixOperation::Vector;
        if (vector && operandsOf(*chain) != 0) return false;
    }
    append(graph, node, *chain, *reader);
    absorb(graph, node, reader);
    return true;
}

} // namespace

void fuseEpilogue(Graph& graph) {
    for (Node* node : nodesWithEpilogue(graph)) {
        while (fuseReader(graph, node)) {
        }
    }
}

} // namespace tenon
