// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "layers/attention/attention.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pointwise/pointwise.h"
#include "layers/select/select.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unsqueeze/unsqueeze.h"

#include <cmath>

namespace tenon {
namespace {

/// Axes of [N,H,S,D] that the view lacks.
Literal missingAxes(AttentionView const& view) {
    std::vector<int64_t> missing;
    for (size_t i = 0; i < view.axes.size(); ++i) {
        if (view.axes[i] < 0) missing.push_back(static_cast<int64_t>(i));
    }
    return Literal::of(Dims{static_cast<int64_t>(missing.size())}, missing);
}

std::vector<int64_t> presentAxes(AttentionView const& view) {
    std::vector<int64_t> present = view.axes;
    std::erase(present, -1);
    return present;
}

/// X [any order] → [N,H,S,D]
Tensor* inOrder(Graph& graph, Tensor* x, AttentionView const& view) {
    std::vector<int64_t> order = presentAxes(view);
    int const rest = leftOver(view, static_cast<int>(x->shape.size()));
    if (rest >= 0) {
        Gather part;
        part.axis = rest;
        x = graph.emit(part, {x, graph.emit(Constant(Literal::scalar(view.part)), {})});
        for (int64_t& axis : order) axis -= axis > rest ? 1 : 0;
    }
    x = graph.emit(Shuffle::transposing(order), {x});
    Literal const missing = missingAxes(view);
    return missing.dims().volume() == 0 ? x : graph.emit(Unsqueeze{}, {x, graph.emit(Constant(missing), {})});
}

/// Y [N,H,S,D] → [any order]
Tensor* asViewed(Graph& graph, Tensor* y, AttentionView const& view) {
    Literal const missing = missingAxes(view);
    if (missing.dims().volume() != 0) y = graph.emit(Squeeze{}, {y, graph.emit(Constant(missing), {})});
    std::vector<int64_t> const to = presentAxes(view);
    std::vector<int64_t> order(to.size());
    for (size_t i = 0; i < to.size(); ++i) order[static_cast<size_t>(to[i])] = static_cast<int64_t>(i);
    return graph.emit(Shuffle::transposing(order), {y});
}

/// Each head as often as there are heads of the query that share it. X [N,H',T,D] → [N,H,T,D]
Tensor* repeated(Graph& graph, Tensor* x, int64_t heads) {
    int64_t const shared = x->shape[1].constant();
    if (shared == heads) return x;
    std::vector<int64_t> from;
    for (int64_t head = 0; head < heads; ++head) from.push_back(head * shared / heads);
    Gather gather;
    gather.axis = 1;
    return graph.emit(gather, {x, graph.emit(Constant(Literal::of(Dims{heads}, from)), {})});
}

/// [S,T], true where query s sees key t.
Literal triangle(Shape const& scores, Attention const& layer) {
    if (!scores[2].isConstant() || !scores[3].isConstant())
        fail(ErrorCode::Unsupported, "a causal attention with products ", scores,
             " as plain layers; the lengths of the sequences must be known");
    Dims const dims{scores[2].constant(), scores[3].constant()};
    if (constexpr int64_t kMost = int64_t{1} << 30; dims.volume() > kMost)
        fail(ErrorCode::Unsupported, "a causal attention with products ", scores, " as plain layers; the mask of ",
             dims, " would have more than ", kMost, " elements");
    auto const memory = allocateHost(static_cast<size_t>(dims.volume()));
    auto* sees = static_cast<bool*>(memory.get());
    int64_t const lead = layer.causal == Attention::Causal::LowerRight ? dims[1] - dims[0] : 0;
    for (int64_t i = 0; i < dims.volume(); ++i) {
        int64_t const distance = i % dims[1] - (i / dims[1] + lead);
        sees[i] = (layer.after < 0 || distance <= layer.after) && (layer.before < 0 || -distance <= layer.before);
    }
    return Literal::borrowed(DataType::Bool, dims, sees, memory);
}

Tensor* without(Graph& graph, Tensor* scores, Tensor* sees, Attention const& layer) {
    bool const none = layer.normalization == Attention::Normalization::None;
    Tensor* const nothing = graph.emit(Constant(scalarOf(scores->type, none ? 0 : -INFINITY)), {});
    return graph.emit(Select{}, {sees, scores, nothing});
}

} // namespace

Tensor* addAsPlainLayers(Graph& graph, Attention const& layer, std::vector<Tensor*> const& inputs) {
    Tensor* const query = inOrder(graph, inputs[Attention::kQuery], layer.query);
    int64_t const heads = query->shape[1].constant();
    Tensor* const key = repeated(graph, inOrder(graph, inputs[Attention::kKey], layer.key), heads);
    Tensor* const value = repeated(graph, inOrder(graph, inputs[Attention::kValue], layer.value), heads);
    MatrixMultiply product;
    product.b = MatrixOperation::Transpose;
    Pointwise scaling;
    scaling.steps = {{PointwiseOp::Affine, 0, -1, layer.scale, 0}};
    if (layer.softcap != 0)
        scaling.steps = {{PointwiseOp::ScaledTanh, 0, -1, layer.softcap, layer.scale / layer.softcap}};
    Tensor* scores = graph.emit(scaling, {graph.emit(product, {query, key})});
    Tensor* const mask = inputs.size() > Attention::kMask ? inputs[Attention::kMask] : nullptr;
    if (mask != nullptr && mask->type != DataType::Bool)
        scores = graph.emit(elementwise(PointwiseOp::Sum), {scores, mask});
    else if (mask != nullptr)
        scores = without(graph, scores, mask, layer);
    if (layer.causal != Attention::Causal::None)
        scores = without(graph, scores, graph.emit(Constant(triangle(scores->shape, layer)), {}), layer);
    if (layer.normalization == Attention::Normalization::Softmax) scores = graph.emit(Softmax{}, {scores});
    return asViewed(graph, graph.emit(MatrixMultiply{}, {scores, value}), layer.output);
}

} // namespace tenon
