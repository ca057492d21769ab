// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"
#include "layers/constant/constant.h"
#include "layers/dequantize/dequantize.h"
#include "layers/dist_collective/dist_collective.h"
#include "layers/elementwise/elementwise.h"
#include "layers/fill/fill.h"
#include "layers/gather/gather.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/pointwise/pointwise.h"
#include "layers/quantize/quantize.h"
#include "layers/select/select.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/softmax/softmax.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unsqueeze/unsqueeze.h"

#include <algorithm>
#include <cmath>
#include <numeric>

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

/// Repeats each head for the query heads that share it. X [N,H',T,D] → [N,H,T,D]
Tensor* repeated(Graph& graph, Tensor* x, DimExpr const& heads) {
    if (x->shape[1] == heads) return x;
    int64_t const shared = x->shape[1].constant();
    int64_t const count = heads.constant();
    std::vector<int64_t> from;
    for (int64_t head = 0; head < count; ++head) from.push_back(head * shared / count);
    Gather gather;
    gather.axis = 1;
    return graph.emit(gather, {x, graph.emit(Constant(Literal::of(Dims{count}, from)), {})});
}

Tensor* constant(Graph& graph, DataType type, float value) { return graph.emit(Constant(scalarOf(type, value)), {}); }

/// Null if an optional input is absent.
Tensor* inputAt(std::vector<Tensor*> const& inputs, size_t input) {
    return input < inputs.size() ? inputs[input] : nullptr;
}

Tensor* combined(Graph& graph, PointwiseOp op, Tensor* a, Tensor* b) { return graph.emit(elementwise(op), {a, b}); }

Tensor* number(Graph& graph, int64_t value) {
    return graph.emit(Constant(Literal::scalar(static_cast<int32_t>(value))), {});
}

/// [1] int32
Tensor* extentOf(Graph& graph, Tensor* x, int64_t axis) {
    ShapeOf shape;
    shape.start = axis;
    shape.end = axis + 1;
    shape.type = DataType::Int32;
    return graph.emit(shape, {x});
}

/// 0, 1, … [extent]
Tensor* placesUpTo(Graph& graph, Tensor* extent) {
    Fill fill;
    fill.type = DataType::Int32;
    return graph.emit(fill, {extent});
}

Tensor* withAxes(Graph& graph, Tensor* x, std::vector<int64_t> const& axes) {
    Literal const at = Literal::of(Dims{static_cast<int64_t>(axes.size())}, axes);
    return graph.emit(Unsqueeze{}, {x, graph.emit(Constant(at), {})});
}

/// The conjunction of two conditions; null is always true.
Tensor* both(Graph& graph, Tensor* a, Tensor* b) {
    return a == nullptr || b == nullptr ? (a == nullptr ? b : a) : combined(graph, PointwiseOp::And, a, b);
}

/// The rank of this device. [1] int32
Tensor* rankAmong(Graph& graph, int64_t ranks) {
    std::vector<int32_t> all(static_cast<size_t>(ranks));
    std::iota(all.begin(), all.end(), 0);
    DistCollective layer;
    layer.operation = DistCollective::Operation::Scatter;
    layer.ranks = ranks;
    layer.root = 0;
    return graph.emit(layer, {graph.emit(Constant(Literal::of(Dims{ranks}, all)), {})});
}

/// Which keys queries see, by their positions.
class Places {
public:
    /// `queries`, `keys`: their numbers, [1] int32; with several ranks the keys of all.
    Places(Graph& graph, Attention const& layer, std::vector<Tensor*> const& inputs, Tensor* queries, Tensor* keys)
        : graph_(graph), layer_(layer), queries_(queries), keys_(keys), past_(inputAt(inputs, Attention::kPast)) {
        Tensor* const lengths = inputAt(inputs, Attention::kKeyLengths);
        if (lengths == nullptr) return;
        Tensor* const most = combined(graph, PointwiseOp::Min, lengths, keys_);
        lengths_ = withAxes(graph, combined(graph, PointwiseOp::Max, most, number(graph, 0)), {1, 2, 3});
    }

    /// Broadcasts to [N,1,S,T]; null: all.
    Tensor* seen() const {
        Tensor* const keys = placesUpTo(graph_, keys_);
        Tensor* sees = lengths_ == nullptr ? nullptr : combined(graph_, PointwiseOp::Less, keys, lengths_);
        if (layer_.causal == Attention::Causal::None) return sees;
        Tensor* const queries = withAxes(graph_, placesOfQueries(), {1});
        Tensor* const upTo = combined(graph_, PointwiseOp::Sum, queries, first());
        auto const farther = [&](int64_t keysFrom) { // larger than any key, without an overflow
            return number(graph_, std::min(keysFrom, int64_t{1} << 30) + 1);
        };
        if (layer_.after >= 0) {
            Tensor* const end = combined(graph_, PointwiseOp::Sum, upTo, farther(layer_.after));
            sees = both(graph_, sees, combined(graph_, PointwiseOp::Less, keys, end));
        }
        if (layer_.before >= 0) {
            Tensor* const last = combined(graph_, PointwiseOp::Sub, upTo, farther(layer_.before));
            sees = both(graph_, sees, combined(graph_, PointwiseOp::Greater, keys, last));
        }
        return sees;
    }

    /// V [N,H,T,E], with 0 after the lengths, where elements are undefined.
    Tensor* within(Tensor* value) const {
        if (lengths_ == nullptr) return value;
        Tensor* const rows = withAxes(graph_, placesUpTo(graph_, keys_), {1});
        Tensor* const isThere = combined(graph_, PointwiseOp::Less, rows, lengths_);
        return graph_.emit(Select{}, {isThere, value, constant(graph_, value->type, 0)});
    }

private:
    /// Among those of all ranks.
    Tensor* placesOfQueries() const {
        Tensor* const own = placesUpTo(graph_, queries_);
        if (layer_.ranks == 1) return own;
        Tensor* const before = combined(graph_, PointwiseOp::Prod, rankAmong(graph_, layer_.ranks), queries_);
        return combined(graph_, PointwiseOp::Sum, own, before);
    }

    /// The key up to which query 0 sees.
    Tensor* first() const {
        if (layer_.causal == Attention::Causal::LowerRight) {
            Tensor* const all = combined(graph_, PointwiseOp::Prod, queries_, number(graph_, layer_.ranks));
            return combined(graph_, PointwiseOp::Sub, lengths_ == nullptr ? keys_ : lengths_,
                            layer_.ranks == 1 ? queries_ : all);
        }
        return past_ == nullptr ? number(graph_, 0) : extentOf(graph_, past_, 2);
    }

    Graph& graph_;
    Attention const& layer_;
    Tensor* queries_; // the number
    Tensor* keys_;
    Tensor* past_;
    Tensor* lengths_ = nullptr; // [N,1,1,1], of keys
};

/// Weights of scores [N,H,S,T]; 0 for masked keys, also for queries that see no key, whose softmax is NaN, unless the
/// layer keeps NaNs.
Tensor* weightsOf(Graph& graph, Attention const& layer, Tensor* scores, Tensor* mask, Tensor* sees) {
    DataType const type = scores->type;
    bool const adds = mask != nullptr && mask->type != DataType::Bool;
    if (adds) scores = combined(graph, PointwiseOp::Sum, scores, mask);
    if (mask != nullptr && !adds && layer.leavesOut())
        sees = both(graph, mask, sees);
    else if (mask != nullptr && !adds)
        scores = graph.emit(Select{}, {mask, scores, constant(graph, type, static_cast<float>(layer.maskedScore))});
    if (layer.normalization == Attention::Normalization::Softmax) {
        if (sees != nullptr) scores = graph.emit(Select{}, {sees, scores, constant(graph, type, -INFINITY)});
        scores = graph.emit(Softmax{}, {scores});
        if (layer.keepsNans) return scores;
    }
    Tensor* const zero = constant(graph, type, 0);
    if (sees != nullptr) scores = graph.emit(Select{}, {sees, scores, zero});
    if (!adds) return scores;
    Tensor* const isLeftOut = combined(graph, PointwiseOp::Equal, mask, constant(graph, type, -INFINITY));
    return graph.emit(Select{}, {isLeftOut, zero, scores});
}

/// Quantizes and dequantizes.
Tensor* quantized(Graph& graph, Tensor* weights, DataType to, Tensor* scale) {
    Quantize quantize;
    quantize.to = to;
    Dequantize dequantize;
    dequantize.to = weights->type;
    return graph.emit(dequantize, {graph.emit(quantize, {weights, scale}), scale});
}

DimExpr headsOf(Tensor const* x, AttentionView const& view) {
    return view.axes[1] < 0 ? DimExpr(1) : x->shape[static_cast<size_t>(view.axes[1])];
}

} // namespace

bool hasPlainLayers(Attention const& layer, std::vector<Tensor*> const& inputs) {
    DimExpr const heads = headsOf(inputs[Attention::kQuery], layer.query);
    DimExpr const shared = headsOf(inputs[Attention::kKey], layer.key);
    bool const areKnown = heads == shared || (heads.isConstant() && shared.isConstant());
    bool const isCut = layer.cutsToMask && inputAt(inputs, Attention::kMask) != nullptr;
    return areKnown && !isCut && !layer.packedQueries && !layer.packedKeys &&
           layer.products == Attention::Products::None;
}

Tensor* addAsPlainLayers(Graph& graph, Attention const& layer, std::vector<Tensor*> const& inputs) {
    Tensor* const query = inOrder(graph, inputs[Attention::kQuery], layer.query);
    Tensor* const key = repeated(graph, inOrder(graph, inputs[Attention::kKey], layer.key), query->shape[1]);
    Tensor* const value = repeated(graph, inOrder(graph, inputs[Attention::kValue], layer.value), query->shape[1]);
    MatrixMultiply product;
    product.b = MatrixOperation::Transpose;
    Pointwise scaling;
    scaling.steps = {{PointwiseOp::Affine, 0, -1, layer.scale, 0}};
    if (layer.softcap != 0)
        scaling.steps = {{PointwiseOp::ScaledTanh, 0, -1, layer.softcap, layer.scale / layer.softcap}};
    Tensor* const scores = graph.emit(scaling, {graph.emit(product, {query, key})});
    Places const places(graph, layer, inputs, extentOf(graph, query, 2), extentOf(graph, key, 2));
    Tensor* weights = weightsOf(graph, layer, scores, inputAt(inputs, Attention::kMask), places.seen());
    if (layer.isQuantized()) weights = quantized(graph, weights, layer.quantizeTo, inputs[Attention::kWeightScale]);
    return asViewed(graph, graph.emit(MatrixMultiply{}, {weights, places.within(value)}), layer.output);
}

namespace {

/// X of all ranks, concatenated along its sequence, which becomes axis 0; `view` is updated.
Tensor* ofAllRanks(Graph& graph, Tensor* x, int64_t ranks, AttentionView& view) {
    int64_t const sequence = view.axes[2];
    std::vector<int64_t> order(x->shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::rotate(order.begin(), order.begin() + sequence, order.begin() + sequence + 1);
    for (int64_t& axis : view.axes) {
        if (axis >= 0 && axis <= sequence) axis = axis == sequence ? 0 : axis + 1;
    }
    DistCollective gather;
    gather.operation = DistCollective::Operation::AllGather;
    gather.ranks = ranks;
    return graph.emit(gather, {graph.emit(Shuffle::transposing(order), {x})});
}

} // namespace

Tensor* addOverRanks(Graph& graph, Attention const& layer, std::vector<Tensor*> const& inputs) {
    Attention own = layer;
    own.ranks = 1;
    std::vector<Tensor*> to = inputs;
    to[Attention::kKey] = ofAllRanks(graph, inputs[Attention::kKey], layer.ranks, own.key);
    to[Attention::kValue] = ofAllRanks(graph, inputs[Attention::kValue], layer.ranks, own.value);
    if (layer.causal != Attention::Causal::None) { // the position of a query depends on the rank
        Tensor* const query = inputs[Attention::kQuery];
        Tensor* const queries =
            layer.query.axes[2] < 0 ? number(graph, 1) : extentOf(graph, query, layer.query.axes[2]);
        Places const places(graph, layer, inputs, queries, extentOf(graph, to[Attention::kKey], 0));
        if (to.size() <= Attention::kMask) to.resize(Attention::kMask + 1, nullptr);
        to[Attention::kMask] = places.seen();
        own.causal = Attention::Causal::None;
        own.before = -1;
        own.after = 0;
    }
    return graph.emit(own, to);
}

} // namespace tenon
