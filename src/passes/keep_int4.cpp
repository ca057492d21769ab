// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/keep_int4.h"

#include "layers/dequantize/dequantize.h"
#include "layers/int4_multiply/int4_multiply.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/shuffle/shuffle.h"

namespace tenon {
namespace {

/// The Dequantize of constant int4 that a product reads its second factor from, possibly through a transpose.
struct Source {
    Node const* dequantize = nullptr;
    bool transposed = false;
};

Source sourceOf(Node const& product) {
    Source source{product.input(1)->producer(), as<MatrixMultiply>(*product.layer)->b == MatrixOperation::Transpose};
    auto const* shuffle = source.dequantize ? as<Shuffle>(*source.dequantize->layer) : nullptr;
    bool const transposes = shuffle && !shuffle->reshapes && source.dequantize->input(1) == nullptr &&
                            shuffle->firstTranspose == std::vector<int64_t>{1, 0} && shuffle->secondTranspose.empty();
    if (transposes) source = {source.dequantize->input(0)->producer(), !source.transposed};
    auto const* dequantize = source.dequantize ? as<Dequantize>(*source.dequantize->layer) : nullptr;
    if (dequantize == nullptr || source.dequantize->input(0)->type != DataType::Int4) return {};
    for (Tensor const* input : source.dequantize->inputs()) {
        if (input && !input->literal()) return {};
    }
    return source;
}

bool mayBecome(Node const& node) {
    auto const* product = as<MatrixMultiply>(*node.layer);
    return product && product->a == MatrixOperation::None && product->b != MatrixOperation::Vector &&
           product->epilogue.empty() && node.input(1)->shape.size() == 2 && isFloat(node.input(0)->type);
}

} // namespace

void keepInt4(Graph& graph) {
    for (Node* node : graph.order()) {
        if (!mayBecome(*node)) continue;
        auto const [before, transposed] = sourceOf(*node);
        if (before == nullptr) continue;
        auto const& dequantize = *as<Dequantize>(*before->layer);
        Int4Multiply layer;
        layer.transposed = transposed;
        layer.axis = dequantize.axis;
        layer.blocks = dequantize.blocks;
        std::vector<Tensor*> inputs = before->inputs();
        inputs.insert(inputs.begin(), node->input(0));
        Tensor* const y = graph.emit(layer, inputs, node->name);
        if (graph.isOutput(node->output())) graph.replaceOutput(node->output(), y);
        graph.replaceUses(node->output(), y);
        graph.remove(node);
    }
}

} // namespace tenon
