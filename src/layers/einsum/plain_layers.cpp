// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"
#include "layers/concatenation/concatenation.h"
#include "layers/constant/constant.h"
#include "layers/einsum/einsum.h"
#include "layers/elementwise/elementwise.h"
#include "layers/expand/expand.h"
#include "layers/identity/identity.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/reduce/reduce.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unsqueeze/unsqueeze.h"

#include <algorithm>

namespace tenon {
namespace {

/// A tensor whose axes have labels, all different.
struct Labeled {
    Tensor* tensor;
    Labels labels;

    bool has(int label) const { return std::ranges::find(labels, label) != labels.end(); }
    int64_t axisOf(int label) const { return std::ranges::find(labels, label) - labels.begin(); }
    DimExpr const& extentOf(int label) const { return tensor->shape[static_cast<size_t>(axisOf(label))]; }
};

Tensor* list(Graph& graph, std::vector<int64_t> const& numbers) {
    return graph.emit(Constant(Literal::of({static_cast<int64_t>(numbers.size())}, numbers)), {});
}

/// The product of the extents of axes [from, to), as a list of one.
Tensor* product(Graph& graph, Tensor* x, int64_t from, int64_t to) {
    return graph.emit(Shuffle::reshaping({1}), {graph.emit(ShapeOf::product(from, to), {x})});
}

Tensor* extents(Graph& graph, Tensor* x, int64_t from, int64_t to) {
    return graph.emit(ShapeOf::extents(from, to), {x});
}

/// Reshapes to the concatenation of several lists of extents.
Tensor* reshape(Graph& graph, Tensor* x, std::vector<Tensor*> const& lists) {
    return graph.emit(Shuffle::reshapingToInput(), {x, graph.emit(Concatenation{}, lists)});
}

/// Transposes the axes to this order, which has all of them.
Tensor* inOrder(Graph& graph, Labeled const& x, Labels const& order) {
    if (x.labels == order) return x.tensor;
    std::vector<int64_t> permutation;
    for (int const label : order) permutation.push_back(x.axisOf(label));
    return graph.emit(Shuffle::transposing(permutation), {x.tensor});
}

/// The diagonal of the axes i < j, as axis i: X […,d,…,d,…] → […,d·d] → every d+1-th, d of them. Where the two extents
/// may differ at run time, X cannot be read so.
Tensor* diagonal(Graph& graph, Tensor* x, int64_t i, int64_t j) {
    auto const rank = static_cast<int64_t>(x->shape.size());
    std::vector<int64_t> toEnd;
    for (int64_t axis = 0; axis < rank; ++axis) {
        if (axis != i && axis != j) toEnd.push_back(axis);
    }
    toEnd.insert(toEnd.end(), {i, j});
    Tensor* const last = graph.emit(Shuffle::transposing(toEnd), {x});
    Tensor* const extent = extents(graph, last, rank - 1, rank);
    Tensor* const square = graph.emit(elementwise(PointwiseOp::Prod), {extent, extent});
    Tensor* const flat = reshape(graph, last, {extents(graph, last, 0, rank - 2), square});
    Slice layer;
    layer.axes = {rank - 2};
    Tensor* const stride = graph.emit(elementwise(PointwiseOp::Sum), {extent, list(graph, {1})});
    Tensor* const taken = graph.emit(layer, {flat, list(graph, {0}), extent, stride});
    std::vector<int64_t> back;
    for (int64_t axis = 0; axis < rank - 2; ++axis) back.push_back(axis);
    back.insert(back.begin() + i, rank - 2);
    return graph.emit(Shuffle::transposing(back), {taken});
}

Labeled withDiagonals(Graph& graph, Tensor* x, Labels labels) {
    for (size_t i = 0; i < labels.size(); ++i) {
        for (size_t j = labels.size() - 1; j > i; --j) {
            if (labels[i] != labels[j]) continue;
            x = diagonal(graph, x, static_cast<int64_t>(i), static_cast<int64_t>(j));
            labels.erase(labels.begin() + static_cast<int64_t>(j));
        }
    }
    return {x, labels};
}

Labels without(Labels labels, std::vector<int64_t> const& axes) {
    for (size_t i = axes.size(); i-- > 0;) labels.erase(labels.begin() + axes[i]);
    return labels;
}

/// The sum over the labels that are not needed later.
Labeled summed(Graph& graph, Labeled const& x, Labels const& needed) {
    std::vector<int64_t> axes;
    for (int const label : x.labels) {
        if (std::ranges::find(needed, label) == needed.end()) axes.push_back(x.axisOf(label));
    }
    if (axes.empty()) return x;
    Reduce layer;
    layer.axes = axes;
    return {graph.emit(layer, {x.tensor}), without(x.labels, axes)};
}

/// Without the axes of extent 1 for which the other tensor has more.
Labeled narrowed(Graph& graph, Labeled const& x, Labeled const& other) {
    std::vector<int64_t> axes;
    for (int const label : x.labels) {
        if (other.has(label) && x.extentOf(label).constantOr(0) == 1 && other.extentOf(label).constantOr(0) != 1)
            axes.push_back(x.axisOf(label));
    }
    if (axes.empty()) return x;
    return {graph.emit(Squeeze{}, {x.tensor, list(graph, axes)}), without(x.labels, axes)};
}

/// The roles of a product's labels: in both and kept, in one of them, in both and summed over.
struct Roles {
    Labels batch, onlyA, onlyB, summed;

    Roles(Labeled const& a, Labeled const& b, Labels const& needed) {
        for (int const label : a.labels) {
            bool const isNeeded = std::ranges::find(needed, label) != needed.end();
            (!b.has(label) ? onlyA : isNeeded ? batch : summed).push_back(label);
        }
        for (int const label : b.labels) {
            if (!a.has(label)) onlyB.push_back(label);
        }
    }
};

Labels joined(Labels const& a, Labels const& b, Labels const& c = {}) {
    Labels all = a;
    all.insert(all.end(), b.begin(), b.end());
    all.insert(all.end(), c.begin(), c.end());
    return all;
}

/// Broadcast to the extents of the other tensor along `labels`, if it is known at run time only whether they are the
/// same or 1.
Labeled widened(Graph& graph, Labeled x, Labeled const& other, Labels const& labels) {
    for (int const label : labels) {
        if (x.extentOf(label) == other.extentOf(label) || x.extentOf(label).isConstant()) continue;
        std::vector<int64_t> const before(static_cast<size_t>(x.axisOf(label)), 1);
        std::vector<int64_t> const behind(x.labels.size() - before.size() - 1, 1);
        int64_t const axis = other.axisOf(label);
        Tensor* const shape = graph.emit(
            Concatenation{}, {list(graph, before), extents(graph, other.tensor, axis, axis + 1), list(graph, behind)});
        x.tensor = graph.emit(Expand{}, {x.tensor, shape});
    }
    return x;
}

/// A [batch…,M,K] · B [batch…,K,N]; each row of A separately, if results must be independent.
Tensor* rowsTimes(Graph& graph, Tensor* a, Tensor* b, bool independent) {
    if (!independent) return graph.emit(MatrixMultiply{}, {a, b});
    Tensor* const rows = graph.emit(Unsqueeze{}, {a, list(graph, {-2})});
    Tensor* const stacked = graph.emit(Unsqueeze{}, {b, list(graph, {-3})});
    return graph.emit(Squeeze{}, {graph.emit(MatrixMultiply{}, {rows, stacked}), list(graph, {-2})});
}

/// A [batch…,a…,s…], B [batch…,s…,b…] → A [batch…,M,K] · B [batch…,K,N] → Y [batch…,a…,b…]
Labeled matrixProduct(Graph& graph, Labeled const& a, Labeled const& b, Roles const& roles, bool independent) {
    auto const count = [](Labels const& labels) { return static_cast<int64_t>(labels.size()); };
    int64_t const batch = count(roles.batch);
    int64_t const aEnd = batch + count(roles.onlyA);
    int64_t const sEnd = batch + count(roles.summed);
    Tensor* const left = inOrder(graph, a, joined(roles.batch, roles.onlyA, roles.summed));
    Tensor* const right = inOrder(graph, b, joined(roles.batch, roles.summed, roles.onlyB));
    int64_t const all = INT64_MAX;
    Tensor* const m =
        reshape(graph, left,
                {extents(graph, left, 0, batch), product(graph, left, batch, aEnd), product(graph, left, aEnd, all)});
    Tensor* const n = reshape(
        graph, right,
        {extents(graph, right, 0, batch), product(graph, right, batch, sEnd), product(graph, right, sEnd, all)});
    Tensor* const y = rowsTimes(graph, m, n, independent);
    Tensor* const split = reshape(
        graph, y, {extents(graph, y, 0, batch), extents(graph, left, batch, aEnd), extents(graph, right, sEnd, all)});
    return {split, joined(roles.batch, roles.onlyA, roles.onlyB)};
}

/// With axes of extent 1 for the labels that it lacks.
Tensor* spread(Graph& graph, Labeled const& x, Labels const& labels) {
    Labels own;
    std::vector<int64_t> missing;
    for (size_t i = 0; i < labels.size(); ++i) {
        if (x.has(labels[i]))
            own.push_back(labels[i]);
        else
            missing.push_back(static_cast<int64_t>(i));
    }
    Tensor* const ordered = inOrder(graph, x, own);
    return missing.empty() ? ordered : graph.emit(Unsqueeze{}, {ordered, list(graph, missing)});
}

Labeled contracted(Graph& graph, Labeled a, Labeled b, Labels const& needed, bool independent) {
    Labeled const wide = a;
    a = narrowed(graph, a, b);
    b = narrowed(graph, b, wide);
    a = summed(graph, a, joined(needed, b.labels));
    b = summed(graph, b, joined(needed, a.labels));
    Roles const roles(a, b, needed);
    if (!roles.summed.empty())
        return matrixProduct(graph, widened(graph, a, b, roles.summed), widened(graph, b, a, roles.summed), roles,
                             independent);
    Labels const labels = joined(roles.batch, roles.onlyA, roles.onlyB);
    return {graph.emit(elementwise(PointwiseOp::Prod), {spread(graph, a, labels), spread(graph, b, labels)}), labels};
}

Tensor* castTo(Graph& graph, Tensor* x, DataType type) {
    if (x->type == type) return x;
    Cast layer;
    layer.to = type;
    return graph.emit(layer, {x});
}

/// Small integers are summed in int32, whose lowest bits are the same.
DataType computedIn(DataType type) {
    return type == DataType::Int8 || type == DataType::UInt8 ? DataType::Int32 : type;
}

} // namespace

Tensor* addAsPlainLayers(Graph& graph, Einsum const& layer, std::vector<Tensor*> const& inputs) {
    std::vector<int> ranks;
    for (Tensor const* input : inputs) ranks.push_back(static_cast<int>(input->shape.size()));
    EinsumTerms const terms = einsumTerms(layer.equation, ranks);
    DataType const type = inputs[0]->type;
    auto const operand = [&](size_t i) {
        return withDiagonals(graph, castTo(graph, inputs[i], computedIn(type)), terms.inputs[i]);
    };
    Labeled y = operand(0);
    for (size_t i = 1; i < inputs.size(); ++i) {
        Labels needed = terms.output; // later, too
        for (size_t j = i + 1; j < inputs.size(); ++j) needed = joined(needed, terms.inputs[j]);
        y = contracted(graph, y, operand(i), needed, layer.independent);
    }
    y = summed(graph, y, terms.output);
    Tensor* const result = castTo(graph, inOrder(graph, y, terms.output), type);
    return result == inputs[0] ? graph.emit(Identity{}, {result}) : result;
}

} // namespace tenon
