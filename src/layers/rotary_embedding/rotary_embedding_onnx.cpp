// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rotary_embedding/rotary_embedding.h"

#include "base/error.h"
#include "onnx/reshapes.h"
#include "onnx/term.h"

namespace tenon::onnx {
namespace {

/// X [N,H,S,D], or [N,S,H·D] with the number of heads in an attribute.
std::vector<Tensor*> importRotaryEmbedding(NodeReader& node) {
    RotaryEmbedding layer;
    layer.interleaved = node.integer("interleaved", 0) != 0;
    layer.turned = node.integer("rotary_embedding_dim", 0);
    Term const x = input(node, 0);
    std::vector<Tensor*> tables{node.input(1), node.input(2)};
    if (node.hasInput(3)) tables.push_back(node.input(3));
    if (x.rank() == 4) {
        node.ignore({"num_heads"}); // the shape determines it
        return {x.through(layer, tables)};
    }
    if (x.rank() != 3) fail(ErrorCode::InvalidModel, "input 0 has shape ", x->shape, "; expected rank 3 or 4");
    int64_t const heads = node.integer("num_heads");
    if (heads < 1) fail(ErrorCode::InvalidModel, "num_heads is ", heads, "; expected 1 or more");
    layer.sequenceFirst = true;
    Term const apart(node, splitLast(node, x, heads, "num_heads"));
    return {joinFrom(node, apart.through(layer, tables), 2)};
}

} // namespace

ImporterList rotaryEmbeddingImporters() {
    static constexpr Importer all[] = {{"RotaryEmbedding", importRotaryEmbedding}};
    return all;
}

} // namespace tenon::onnx
