// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/find_attention.h"

#include "graph/elements.h"
#include "layers/attention/attention.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/select/select.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "layers/softmax/softmax.h"
#include "layers/squeeze/squeeze.h"
#include "layers/unary/unary.h"
#include "passes/joined_constants.h"
#include "passes/matchers.h"
#include "passes/remove_dead.h"

#include <algorithm>
#include <limits>

namespace tenon {
namespace {

/// A query, key or value: a view of a tensor, times a number.
struct Source {
    Tensor* tensor;
    AttentionView view;
    double scale = 1;
};

/// The layers of an attention, from the product with the values upwards.
struct Found {
    Node* product = nullptr; // of weights and values
    Source query, key, value;
    double scale = 1;
    Tensor* mask = nullptr;
    Node const* choice = nullptr; // a Select between scores and a number, whose condition is the mask
    double chosen = 0;            // the number
};

/// The producer of a tensor that has one reader only; null if there are others.
Node* onlyFor(Graph const& graph, Tensor const* tensor) {
    Node* const node = tensor->producer();
    return node != nullptr && onlyReader(graph, *node) != nullptr ? node : nullptr;
}

/// A node that multiplies another tensor of its result's shape by a number.
struct Scaling {
    Tensor* of;
    double factor;
};

std::optional<Scaling> scalingOf(Node const& node) {
    auto const* layer = as<Elementwise>(*node.layer);
    if (layer == nullptr) return std::nullopt;
    for (int i : {0, 1}) {
        auto const number = numberIn(node.input(1 - i));
        if (!number || node.input(i)->shape != node.output()->shape) continue;
        bool const divides = layer->operation == PointwiseOp::Div && i == 0 && *number != 0;
        if (!divides && layer->operation != PointwiseOp::Prod) continue;
        double const factor = divides ? 1 / *number : *number;
        if (isMovableFactor(factor)) return Scaling{node.input(i), factor};
    }
    return std::nullopt;
}

/// The product of two matrices without bias or epilogue.
MatrixMultiply const* plainProduct(Node const* node) {
    auto const* layer = node == nullptr ? nullptr : as<MatrixMultiply>(*node->layer);
    bool const plain = layer != nullptr && layer->epilogue.empty() && layer->a != MatrixOperation::Vector &&
                       layer->b != MatrixOperation::Vector && isFloat(node->output()->type);
    return plain ? layer : nullptr;
}

/// A matrix operand […,rows,columns] as […,sequence,elements], or transposed.
Source sourceOf(Tensor* tensor, bool turned) {
    constexpr int64_t kNone = -1;
    Source source{tensor, {}, 1};
    auto const rank = static_cast<int64_t>(tensor->shape.size());
    source.view.axes = {rank == 4 ? 0 : kNone, rank == 4 ? 1 : (rank == 3 ? 0 : kNone), rank - 2, rank - 1};
    if (turned) std::swap(source.view.axes[2], source.view.axes[3]);
    return source;
}

/// Larger heads are left to the kernels of matrix products, which one head keeps busy.
bool isOfFittingSize(Source const& source) {
    constexpr int64_t kMostSize = 128;
    return source.tensor->shape[static_cast<size_t>(source.view.axes[3])].constantOr(kMostSize + 1) <= kMostSize;
}

/// Whether both are stacks of matrices with the same stack extents.
bool alikeStacked(Tensor const& a, Tensor const& b) {
    if (a.shape.size() != b.shape.size() || a.shape.size() < 2 || a.shape.size() > 4) return false;
    return std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin());
}

// ---- from the weights up to the product of query and key

/// scores + mask
bool takeAddition(Node const& node, Found& found, Tensor*& scores) {
    auto const* layer = as<Elementwise>(*node.layer);
    if (layer == nullptr || layer->operation != PointwiseOp::Sum) return false;
    for (int i : {0, 1}) {
        Tensor* const sum = node.input(i);
        Node const* const maker = sum->producer();
        bool const isProduct = maker != nullptr && (plainProduct(maker) != nullptr || scalingOf(*maker));
        if (!isProduct || sum->shape != node.output()->shape) continue;
        found.mask = node.input(1 - i);
        scores = sum;
        return !found.mask->shape.empty();
    }
    return false;
}

/// condition ? scores : a number, or the reverse
bool takeChoice(Node const& node, Found& found, Tensor*& scores) {
    if (as<Select>(*node.layer) == nullptr || node.input(0)->shape.empty()) return false;
    for (int i : {1, 2}) {
        auto const number = numberIn(node.input(3 - i));
        bool const isUsable = number && *number < std::numeric_limits<double>::infinity(); // and no NaN
        if (!isUsable || node.input(i)->shape != node.output()->shape) continue;
        found.choice = &node;
        found.chosen = *number;
        scores = node.input(i);
        return true;
    }
    return false;
}

bool takeProduct(Node const* node, Found& found) {
    auto const* layer = plainProduct(node);
    if (layer == nullptr || !alikeStacked(*node->input(0), *node->input(1))) return false;
    found.query = sourceOf(node->input(0), layer->a == MatrixOperation::Transpose);
    found.key = sourceOf(node->input(1), layer->b == MatrixOperation::None);
    return true;
}

bool takeScores(Graph const& graph, Tensor* scores, Found& found) {
    Node* node = onlyFor(graph, scores);
    if (node != nullptr && (takeAddition(*node, found, scores) || takeChoice(*node, found, scores)))
        node = onlyFor(graph, scores);
    while (node != nullptr) {
        auto const scaling = scalingOf(*node);
        if (!scaling) return takeProduct(node, found);
        if (!isMovableFactor(found.scale * scaling->factor)) return false;
        found.scale *= scaling->factor;
        node = onlyFor(graph, scaling->of);
    }
    return false;
}

/// The attention whose last product this is.
std::optional<Found> attentionOf(Graph const& graph, Node* product) {
    auto const* layer = plainProduct(product);
    if (layer == nullptr || layer->a != MatrixOperation::None) return std::nullopt;
    Tensor* const weights = product->input(0);
    if (!alikeStacked(*weights, *product->input(1))) return std::nullopt;
    Node const* const node = onlyFor(graph, weights);
    auto const* softmax = node == nullptr ? nullptr : as<Softmax>(*node->layer);
    auto const rank = static_cast<int>(weights->shape.size());
    if (softmax == nullptr || softmax->log || resolveAxis(softmax->axis, rank) != rank - 1) return std::nullopt;
    Found found;
    found.product = product;
    found.value = sourceOf(product->input(1), layer->b == MatrixOperation::Transpose);
    bool const taken = takeScores(graph, node->input(0), found) && alikeStacked(*found.query.tensor, *weights) &&
                       isOfFittingSize(found.query) && isOfFittingSize(found.value);
    return taken ? std::optional(found) : std::nullopt;
}

// ---- views of the tensors that queries, keys and values come from

/// `first`, then `second`; an empty one changes nothing.
std::vector<int64_t> after(std::vector<int64_t> const& first, std::vector<int64_t> const& second) {
    if (first.empty() || second.empty()) return first.empty() ? second : first;
    std::vector<int64_t> both;
    for (int64_t const axis : second) both.push_back(first[static_cast<size_t>(axis)]);
    return both;
}

void transpose(AttentionView& view, std::vector<int64_t> const& permutation) {
    for (int64_t& axis : view.axes) {
        if (axis >= 0 && !permutation.empty()) axis = permutation[static_cast<size_t>(axis)];
    }
}

bool absorbShuffle(Graph& graph, Node const& node, Source& source) {
    auto const* layer = as<Shuffle>(*node.layer);
    if (layer == nullptr) return false;
    bool const reshapes = layer->reshapes || node.input(1) != nullptr;
    if (!reshapes) {
        transpose(source.view, after(layer->firstTranspose, layer->secondTranspose));
        source.tensor = node.input(0);
        return true;
    }
    if (layer->secondTranspose.empty()) return false;
    transpose(source.view, layer->secondTranspose);
    Shuffle untransposed = *layer;
    untransposed.secondTranspose.clear();
    source.tensor = graph.emit(std::move(untransposed), node.inputs());
    return true;
}

/// The view of a tensor with one axis more, at index `part` of it.
void insertAxis(AttentionView& view, int64_t at, int64_t part) {
    for (int64_t& axis : view.axes) axis += axis >= at ? 1 : 0;
    view.part = part;
}

/// An axis of extent 1 that is dropped, or one element of an axis.
bool absorbPart(Node const& node, Source& source) {
    Tensor* const from = node.input(0);
    auto const rank = static_cast<int>(from->shape.size());
    if (leftOver(source.view, rank - 1) >= 0 || node.output()->shape.size() + 1 != from->shape.size()) return false;
    auto const* gather = as<Gather>(*node.layer);
    if (gather != nullptr && gather->mode == Gather::Mode::Default) {
        Literal const* index = node.input(1)->literal();
        int const axis = resolveAxis(gather->axis, rank);
        if (index == nullptr || gather->elementWiseDims != 0) return false;
        int64_t part = index->toInt64()[0];
        if (part < 0) part += from->shape[static_cast<size_t>(axis)].constantOr(0);
        if (part < 0) return false;
        insertAxis(source.view, axis, part);
    } else if (as<Squeeze>(*node.layer) && node.input(1) != nullptr) {
        auto const dropped = axesIn(operandsOf(node), Squeeze::kAxes, rank);
        if (!dropped) return false;
        insertAxis(source.view, dropped->front(), 0);
    } else {
        return false;
    }
    source.tensor = from;
    return true;
}

/// One element of the axis that the view leaves over.
bool absorbSlice(Node const& node, Source& source) {
    auto const* layer = as<Slice>(*node.layer);
    int const rest = leftOver(source.view, static_cast<int>(node.output()->shape.size()));
    if (layer == nullptr || rest < 0 || !(node.output()->shape[static_cast<size_t>(rest)] == DimExpr(1))) return false;
    auto const cuts = layer->cuts(operandsOf(node));
    Shape const& shape = node.input(0)->shape;
    for (size_t axis = 0; axis < cuts.size(); ++axis) {
        bool const all = cuts[axis].start == DimExpr(0) && cuts[axis].extent == shape[axis];
        if (static_cast<int>(axis) != rest && (!all || !(cuts[axis].stride == DimExpr(1)))) return false;
    }
    DimExpr const& start = cuts[static_cast<size_t>(rest)].start;
    int64_t const extent = shape[static_cast<size_t>(rest)].constantOr(0);
    if (start.constantOr(-1) < 0 || start.constant() >= extent) return false;
    source.view.part = start.constant();
    source.tensor = node.input(0);
    return true;
}

bool absorbScaling(Node const& node, Source& source) {
    auto const scaling = scalingOf(node);
    if (!scaling || !isMovableFactor(source.scale * scaling->factor)) return false;
    source.scale *= scaling->factor;
    source.tensor = scaling->of;
    return true;
}

void absorbMaker(Graph& graph, Source& source, bool mayScale) {
    while (Node const* node = source.tensor->producer()) {
        if (node->input(0) == nullptr) return; // a constant, or a plugin without inputs
        bool const absorbed = absorbShuffle(graph, *node, source) || absorbPart(*node, source) ||
                              absorbSlice(*node, source) || (mayScale && absorbScaling(*node, source));
        if (!absorbed) return;
    }
}

// ---- the result

/// The transposition that the only reader of the result begins with.
void absorbReader(Graph& graph, Node* node) {
    Node* const reader = onlyReader(graph, *node);
    auto* const shuffle = reader == nullptr ? nullptr : as<Shuffle>(*reader->layer);
    if (shuffle == nullptr || reader->input(0) != node->output()) return;
    bool const reshapes = shuffle->reshapes || reader->input(1) != nullptr;
    auto const permutation =
        reshapes ? shuffle->firstTranspose : after(shuffle->firstTranspose, shuffle->secondTranspose);
    if (permutation.empty()) return;
    for (int64_t& axis : as<Attention>(*node->layer)->output.axes) {
        if (axis >= 0) axis = std::ranges::find(permutation, axis) - permutation.begin();
    }
    graph.infer(node);
    if (reshapes)
        shuffle->firstTranspose.clear();
    else
        absorb(graph, node, reader);
}

/// False if the number is selected: adding to the scores instead would keep a NaN or an infinity in them.
Tensor* maskOf(Graph& graph, Node const& choice) {
    Tensor* const condition = choice.input(0);
    if (numberIn(choice.input(2))) return condition;
    Unary negation;
    negation.operation = PointwiseOp::Not;
    return graph.emit(negation, {condition});
}

void replace(Graph& graph, Found& found) {
    absorbMaker(graph, found.query, true);
    absorbMaker(graph, found.key, true);
    absorbMaker(graph, found.value, false);
    Attention layer;
    layer.scale = found.scale * found.query.scale * found.key.scale;
    layer.keepsNans = true;
    layer.query = found.query.view;
    layer.key = found.key.view;
    layer.value = found.value.view;
    layer.output = sourceOf(found.product->output(), false).view;
    std::vector<Tensor*> inputs{found.query.tensor, found.key.tensor, found.value.tensor};
    if (found.choice != nullptr) {
        found.mask = maskOf(graph, *found.choice);
        layer.maskedScore = found.chosen;
    }
    if (found.mask != nullptr) inputs.push_back(found.mask);
    Node* const node = graph.add(std::make_unique<Attention>(layer), inputs, found.product->name);
    absorb(graph, node, found.product);
    absorbReader(graph, node);
}

/// Turns transpositions and slices around an Attention of the network into views.
void takeViews(Graph& graph, Node* node) {
    auto& layer = *as<Attention>(*node->layer);
    Source query{node->input(Attention::kQuery), layer.query}, key{node->input(Attention::kKey), layer.key};
    Source value{node->input(Attention::kValue), layer.value};
    absorbMaker(graph, query, true);
    absorbMaker(graph, key, true);
    absorbMaker(graph, value, false);
    layer.scale *= query.scale * key.scale;
    layer.query = query.view;
    layer.key = key.view;
    layer.value = value.view;
    graph.setInput(node, Attention::kQuery, query.tensor);
    graph.setInput(node, Attention::kKey, key.tensor);
    graph.setInput(node, Attention::kValue, value.tensor);
    graph.infer(node);
    if (layer.products == Attention::Products::None) absorbReader(graph, node);
}

} // namespace

void findAttention(Graph& graph) {
    std::vector<Node*> products, given;
    for (Node* node : graph.order()) {
        if (node->kind() == MatrixMultiply::kKind) products.push_back(node);
        if (node->kind() == Attention::kKind) given.push_back(node);
    }
    for (Node* node : given) takeViews(graph, node);
    bool any = !given.empty();
    for (Node* node : products) {
        auto found = attentionOf(graph, node);
        if (!found) continue;
        replace(graph, *found);
        any = true;
    }
    if (any) removeDead(graph);
}

} // namespace tenon
