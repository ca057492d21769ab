// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/move_quantization.h"

#include "layers/activation/activation.h"
#include "layers/dequantize/dequantize.h"
#include "layers/quanta.h"
#include "layers/quantize/quantize.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "passes/matchers.h"

#include <algorithm>

namespace tenon {
namespace {

/// A Quantize or Dequantize, of a kind that moves: its scale and zero point fit tensors of any rank.
std::optional<Quantum> movableQuantum(Node const* node) {
    if (node == nullptr || (node->kind() != Quantize::kKind && node->kind() != Dequantize::kKind)) return std::nullopt;
    auto const fits = [&](int input) { return node->input(input) == nullptr || node->input(input)->shape.size() <= 1; };
    return fits(1) && fits(2) ? quantumOf(*node) : std::nullopt;
}

/// The node with its first inputs replaced.
Tensor* addLike(Graph& graph, Node const& node, std::vector<Tensor*> const& first) {
    std::vector<Tensor*> inputs = node.inputs();
    std::ranges::copy(first, inputs.begin());
    return graph.add(node.layer->clone(), inputs, node.name)->output();
}

/// `to` replaces the only output of a node, which is removed.
void replace(Graph& graph, Node* node, Tensor* to) {
    if (graph.isOutput(node->output()))
        graph.replaceOutput(node->output(), to);
    else
        std::swap(node->output()->name, to->name);
    graph.replaceUses(node->output(), to);
    graph.remove(node);
}

size_t countMoved(Node const& node) { return static_cast<size_t>(movedInputs(node).alone()); }

/// The Dequantize before the inputs that a node moves, the same for all; null if there is none.
Node const* dequantizeBefore(Node const& node) {
    if (node.inputs().empty() || !movableQuantum(node.input(0) ? node.input(0)->producer() : nullptr)) return nullptr;
    size_t const count = countMoved(node);
    if (count == 0 || node.outputs().size() != 1) return nullptr;
    std::optional<Quantum> common;
    for (size_t i = 0; i < count; ++i) {
        Node const* before = node.inputs()[i] ? node.inputs()[i]->producer() : nullptr;
        auto const quantum = movableQuantum(before);
        bool const isLike = quantum && before->kind() == Dequantize::kKind && (!common || common->isLike(*quantum));
        if (!isLike) return nullptr;
        common = quantum;
    }
    return node.input(0)->producer();
}

void sinkDequantize(Graph& graph, Node* node) {
    Node const* const before = dequantizeBefore(*node);
    if (before == nullptr) return;
    std::vector<Tensor*> integers;
    size_t const count = countMoved(*node);
    for (size_t i = 0; i < count; ++i) integers.push_back(node->inputs()[i]->producer()->input(0));
    Tensor* const moved = addLike(graph, *node, integers);
    replace(graph, node, addLike(graph, *before, {moved}));
}

/// Weights that are transposed after their Dequantize have scales along the transposed axis.
void sinkBehindTranspose(Graph& graph, Node* node) {
    auto const* shuffle = as<Shuffle>(*node->layer);
    Node const* const before = node->input(0) ? node->input(0)->producer() : nullptr;
    auto const* layer = before ? as<Dequantize>(*before->layer) : nullptr;
    bool const transposes = shuffle && !shuffle->reshapes && node->input(1) == nullptr &&
                            !shuffle->firstTranspose.empty() && shuffle->secondTranspose.empty();
    bool const isOfBytes = layer && bitsOf(before->input(0)->type) == 8 && isComputed(before->input(0)->type);
    bool const isListed = isOfBytes && layer->blocks.empty() && before->input(0)->literal() &&
                          before->input(1)->shape.size() == 1 &&
                          (before->input(2) == nullptr || before->input(2)->shape.size() == 1);
    if (!transposes || !isListed) return;
    auto const& from = shuffle->firstTranspose;
    Dequantize sunk = *layer;
    if (before->input(1)->shape[0] != DimExpr(1)) { // a single scale belongs to no axis
        int const axis = resolveAxis(layer->axis, static_cast<int>(from.size()));
        sunk.axis = std::ranges::find(from, axis) - from.begin();
    }
    std::vector<Tensor*> inputs = before->inputs();
    inputs[0] = addLike(graph, *node, {inputs[0]});
    replace(graph, node, graph.emit(sunk, inputs, before->name));
}

/// Whether nothing else reads the moved tensor: otherwise it would be stored both quantized and not.
bool movesAlone(Graph const& graph, Node const& node) {
    size_t const count = countMoved(node);
    for (size_t i = 0; i < count; ++i) {
        Tensor const* const x = node.inputs()[i];
        if (x == nullptr || x->producer() == nullptr || x->readers().size() != 1 || graph.isOutput(x)) return false;
    }
    return count != 0;
}

/// If the layer before selects fewer elements, quantizing all of them is more work.
bool raiseQuantize(Graph& graph, Node* quantize) {
    Node* const mover = quantize->input(0)->producer();
    bool const rises = mover && movableQuantum(quantize) && onlyReader(graph, *mover) == quantize &&
                       mover->kind() != Slice::kKind && movesAlone(graph, *mover);
    if (!rises) return false;
    std::vector<Tensor*> quantized;
    size_t const count = countMoved(*mover);
    for (size_t i = 0; i < count; ++i) quantized.push_back(addLike(graph, *quantize, {mover->inputs()[i]}));
    replace(graph, quantize, addLike(graph, *mover, quantized));
    graph.remove(mover);
    return true;
}

/// Quantize of a tensor dequantized with the same scale gives the integers.
void cancel(Graph& graph, Node* quantize) {
    Node const* const before = quantize->input(0)->producer();
    if (before == nullptr || before->kind() != Dequantize::kKind) return;
    auto const mine = quantumOf(*quantize);
    auto const its = quantumOf(*before);
    Tensor* const integers = before->input(0);
    bool const mayStand = !graph.isOutput(quantize->output());
    if (mine && its && mine->isLike(*its) && mayStand) {
        graph.replaceUses(quantize->output(), integers);
        graph.remove(quantize);
    }
}

/// max(x, 0) of a quantized and dequantized tensor equals the same, quantized after it, since the zero point represents
/// 0.
void raiseBehindRelu(Graph& graph, Node* relu) {
    auto const* layer = as<Activation>(*relu->layer);
    if (layer == nullptr || layer->operation != PointwiseOp::Relu) return;
    Node* const after = relu->input(0)->producer();
    Node* const quantize = after && after->kind() == Dequantize::kKind ? after->input(0)->producer() : nullptr;
    bool const isChain = quantize && quantize->kind() == Quantize::kKind && onlyReader(graph, *quantize) == after &&
                         onlyReader(graph, *after) == relu;
    auto const quantum = isChain ? quantumOf(*quantize) : std::nullopt;
    auto const its = isChain ? quantumOf(*after) : std::nullopt;
    if (!quantum || !its || !quantum->isLike(*its)) return;
    Tensor* const y = addLike(graph, *relu, {quantize->input(0)});
    replace(graph, relu, addLike(graph, *after, {addLike(graph, *quantize, {y})}));
    graph.remove(after);
    graph.remove(quantize);
}

std::vector<Node*> quantizesOf(Graph const& graph) {
    std::vector<Node*> all = graph.order();
    std::erase_if(all, [](Node const* node) { return node->kind() != Quantize::kKind; });
    return all;
}

} // namespace

void moveQuantization(Graph& graph) {
    for (Node* node : graph.order()) raiseBehindRelu(graph, node);
    for (Node* node : graph.order()) {
        if (dequantizeBefore(*node))
            sinkDequantize(graph, node);
        else if (node->kind() == Shuffle::kKind)
            sinkBehindTranspose(graph, node);
    }
    for (bool moved = true; moved;) {
        moved = false;
        for (Node* quantize : quantizesOf(graph)) moved = raiseQuantize(graph, quantize) || moved;
    }
    for (Node* quantize : quantizesOf(graph)) cancel(graph, quantize);
}

} // namespace tenon
