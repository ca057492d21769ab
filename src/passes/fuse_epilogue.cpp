// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/fuse_epilogue.h"
#include "layers/convolution/epilogue.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "passes/weighted.h"

#include <algorithm>

namespace tenon {
namespace {

/// Operands that kernels read fast beside their result: one of its own shape, or numbers one a channel.
bool fitsResult(Tensor const& operand, Node const& node) {
    Shape const& result = node.output()->shape;
    return operand.type == node.output()->type &&
           (operand.shape == result || isPerChannel(operand, result, channelAxisOf(node)));
}

/// A step of a reader as one of an epilogue: `a` is what came before, `b` an input of the reader or -1.
struct Link {
    PointwiseStep step;
    Tensor* operand;
};

/// The steps of `reader` as a chain that starts from the result of `node`; nothing when they are none that fits.
std::optional<std::vector<Link>> chainOf(Node const& reader, Node const& node) {
    auto steps = stepsOf(reader);
    auto const& inputs = reader.inputs();
    if (!steps || std::ranges::count(inputs, node.output()) != 1) return std::nullopt;
    auto const start = std::ranges::find(inputs, node.output()) - inputs.begin();
    // an epilogue has its own result at 0; the reader may have it elsewhere
    auto const moved = [&](int64_t& operand) {
        if (operand == start)
            operand = 0;
        else if (operand >= 0 && operand < start)
            ++operand;
    };
    std::vector<Link> links;
    for (size_t i = 0; i < steps->size(); ++i) {
        moved((*steps)[i].a);
        moved((*steps)[i].b);
    }
    for (size_t i = 0; i < steps->size(); ++i) {
        auto const other = otherOperand(*steps, i, static_cast<int>(inputs.size()) - 1);
        if (!other || !fitsEpilogue((*steps)[i])) return std::nullopt;
        Tensor* const operand =
            *other == 0 ? nullptr : inputs[static_cast<size_t>(*other <= start ? *other - 1 : *other)];
        if (operand != nullptr && !fitsResult(*operand, node)) return std::nullopt;
        links.push_back({(*steps)[i], operand});
    }
    return links;
}

/// Inputs that the epilogue reads, from firstExtra on.
int extrasOf(Node const& node, int firstExtra) {
    return std::max(0, static_cast<int>(node.inputs().size()) - firstExtra);
}

void append(Graph& graph, Node* node, std::vector<Link> const& links) {
    auto const [steps, firstExtra] = epilogueOf(*node);
    int const before = extrasOf(*node, firstExtra);
    auto const more = std::ranges::count_if(links, [](Link const& link) { return link.operand != nullptr; });
    for (PointwiseStep& step : *steps) { // results are numbered after all inputs
        if (step.a > before) step.a += more;
        if (step.b > before) step.b += more;
    }
    int64_t extra = before;
    for (Link const& link : links) {
        PointwiseStep step = link.step;
        int64_t const running = steps->empty() ? 0 : before + more + static_cast<int64_t>(steps->size());
        step.a = running;
        if (link.operand != nullptr) {
            graph.setInput(node, firstExtra + static_cast<int>(extra), link.operand);
            step.b = ++extra;
        }
        steps->push_back(step);
    }
}

bool fuseReader(Graph& graph, Node* node) {
    Node* const reader = onlyReader(graph, *node);
    if (reader == nullptr || !isFloat(node->output()->type)) return false;
    auto const links = chainOf(*reader, *node);
    if (!links) return false;
    if (auto const* product = as<MatrixMultiply>(*node->layer)) {
        bool const vector = product->a == MatrixOperation::Vector || product->b == MatrixOperation::Vector;
        bool const operands = std::ranges::any_of(*links, [](Link const& link) { return link.operand != nullptr; });
        if (vector && operands) return false;
    }
    append(graph, node, *links);
    absorb(graph, node, reader);
    return true;
}

} // namespace

void fuseEpilogue(Graph& graph) {
    for (Node* node : weightedNodes(graph)) {
        while (fuseReader(graph, node)) {
        }
    }
}

} // namespace tenon
