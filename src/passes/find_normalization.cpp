// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/find_normalization.h"

#include "layers/elementwise/elementwise.h"
#include "layers/normalization/normalization.h"
#include "layers/reduce/reduce.h"
#include "layers/unary/unary.h"
#include "passes/joined_constants.h"
#include "passes/matchers.h"

#include <algorithm>
#include <optional>
#include <unordered_set>

namespace tenon {
namespace {

using enum PointwiseOp;

/// The node that makes the tensor, if it computes op(a, b).
Node const* madeBy(PointwiseOp op, Tensor const* tensor) {
    Node const* node = tensor->producer();
    auto const* layer = node ? as<Elementwise>(*node->layer) : nullptr;
    return layer && layer->operation == op ? node : nullptr;
}

/// x if the tensor is op(x).
Tensor* argumentOf(PointwiseOp op, Tensor const* tensor) {
    Node const* node = tensor->producer();
    auto const* layer = node ? as<Unary>(*node->layer) : nullptr;
    return layer && layer->operation == op ? node->input(0) : nullptr;
}

/// x if the tensor is x to this power.
Tensor* baseOf(Tensor const* tensor, double exponent) {
    Node const* node = madeBy(Pow, tensor);
    return node && numberIn(node->input(1)) == exponent ? node->input(0) : nullptr;
}

Tensor* squareOf(Tensor const* tensor) {
    Node const* product = madeBy(Prod, tensor);
    return product && product->input(0) == product->input(1) ? product->input(0) : baseOf(tensor, 2);
}

Tensor* rootOf(Tensor const* tensor) {
    Tensor* const argument = argumentOf(Sqrt, tensor);
    return argument ? argument : baseOf(tensor, 0.5);
}

/// x if the tensor is 1 / sqrt(x).
Tensor* inverseRootOf(Tensor const* tensor) {
    if (Tensor const* root = argumentOf(Recip, tensor)) return rootOf(root);
    Node const* quotient = madeBy(Div, tensor);
    if (quotient && numberIn(quotient->input(0)) == 1) return rootOf(quotient->input(1));
    return baseOf(tensor, -0.5);
}

/// The average of `of` along `axes`, which stay with an extent of 1.
struct Average {
    Tensor* of;
    std::vector<bool> axes;
};

std::optional<Average> averageIn(Tensor const* tensor) {
    Node const* node = tensor->producer();
    auto const* layer = node ? as<Reduce>(*node->layer) : nullptr;
    if (!layer || layer->operation != ReduceOperation::Avg || !layer->keepDimensions) return std::nullopt;
    if (node->input(0)->shape.empty()) return std::nullopt; // a Normalization has axes
    auto folds = layer->folds(operandsOf(*node));
    return folds ? std::optional(Average{node->input(0), std::move(*folds)}) : std::nullopt;
}

/// x if the tensor is x - (its average along `axes`).
Tensor* centeredOf(Tensor const* tensor, std::vector<bool> const& axes) {
    Node const* difference = madeBy(Sub, tensor);
    auto const average = difference ? averageIn(difference->input(1)) : std::nullopt;
    bool const same = average && average->of == difference->input(0) && average->axes == axes;
    return same ? average->of : nullptr;
}

/// a / sqrt(b)
struct Quotient {
    Tensor* a;
    Tensor* b;
};

std::optional<Quotient> quotientIn(Node const& node) {
    auto const* layer = as<Elementwise>(*node.layer);
    if (!layer) return std::nullopt;
    if (layer->operation == Div) {
        Tensor* const b = rootOf(node.input(1));
        return b ? std::optional(Quotient{node.input(0), b}) : std::nullopt;
    }
    if (layer->operation != Prod) return std::nullopt;
    for (int i : {0, 1}) {
        if (Tensor* const b = inverseRootOf(node.input(i))) return Quotient{node.input(1 - i), b};
    }
    return std::nullopt;
}

/// The tensor as a + number.
struct Shifted {
    Tensor* a;
    double number;
};

std::optional<Shifted> shiftedIn(Tensor const* tensor) {
    Node const* sum = madeBy(Sum, tensor);
    for (int i : {0, 1}) {
        auto const number = sum ? numberIn(sum->input(i)) : std::nullopt;
        if (number) return Shifted{sum->input(1 - i), *number};
    }
    return std::nullopt;
}

/// A normalization of `x` that ends with `last`.
struct Found {
    Normalization layer;
    Node* last;
    std::vector<Tensor*> inputs;
};

std::optional<Found> normalizationAt(Node* node) {
    auto const quotient = quotientIn(*node);
    auto const shifted = quotient ? shiftedIn(quotient->b) : std::nullopt;
    auto const variance = shifted ? averageIn(shifted->a) : std::nullopt;
    Tensor const* const deviation = variance ? squareOf(variance->of) : nullptr;
    if (!deviation || shifted->number < 0) return std::nullopt;
    Tensor* const x = centeredOf(quotient->a, variance->axes);
    bool const centers = x && centeredOf(deviation, variance->axes) == x;
    if (!centers && deviation != quotient->a) return std::nullopt;
    Found found{{}, node, {centers ? x : quotient->a}};
    if (!(node->output()->shape == found.inputs[0]->shape)) return std::nullopt;
    for (size_t axis = 0; axis < variance->axes.size(); ++axis) {
        if (variance->axes[axis]) found.layer.axes.push_back(static_cast<int64_t>(axis));
    }
    found.layer.epsilon = shifted->number;
    found.layer.centers = centers;
    return found;
}

/// Takes over a constant factor (Prod) or summand (Sum) that is the only reader.
void takeParameter(Graph const& graph, Found& found, PointwiseOp op, size_t input) {
    Node* const reader = onlyReader(graph, *found.last);
    if (!reader || madeBy(op, reader->output()) != reader) return;
    bool const first = reader->input(0) == found.last->output();
    Tensor* const parameter = reader->input(first ? 1 : 0);
    bool const sameShape = reader->output()->shape == found.inputs[0]->shape;
    if (parameter->literal() == nullptr || !sameShape) return;
    if (op == Prod && !areMovableScales(parameter->literal()->toFloat())) return;
    Found taking = found;
    taking.last = reader;
    taking.inputs.resize(input, nullptr);
    taking.inputs.push_back(parameter);
    if (refusalOf(taking.layer, taking.inputs).empty()) found = std::move(taking);
}

class Finder {
public:
    explicit Finder(Graph& graph) : graph_(graph) {}

    void run() {
        for (Node* node : graph_.order()) {
            if (removed_.contains(node)) continue;
            auto found = normalizationAt(node);
            if (!found || !refusalOf(found->layer, found->inputs).empty()) continue;
            takeParameter(graph_, *found, Prod, Normalization::kScale);
            takeParameter(graph_, *found, Sum, Normalization::kBias);
            replace(std::move(*found));
        }
    }

private:
    /// The last node becomes the normalization, so that its name and its output's are kept.
    void replace(Found found) {
        auto const before = producersOf(*found.last);
        found.last->layer = std::make_unique<Normalization>(std::move(found.layer));
        graph_.setInputs(found.last, std::move(found.inputs));
        for (Node* producer : before) removeUnread(producer);
    }

    static std::vector<Node*> producersOf(Node const& node) {
        std::vector<Node*> producers;
        for (Tensor const* input : node.inputs()) producers.push_back(input ? input->producer() : nullptr);
        return producers;
    }

    void removeUnread(Node* node) {
        if (node == nullptr || removed_.contains(node)) return;
        bool const isRead = std::ranges::any_of(node->outputs(), [&](Tensor const* output) {
            return !output->readers().empty() || graph_.isOutput(output);
        });
        if (isRead || node->outputs().empty()) return;
        auto const before = producersOf(*node);
        removed_.insert(node);
        graph_.remove(node);
        for (Node* producer : before) removeUnread(producer);
    }

    Graph& graph_;
    std::unordered_set<Node const*> removed_;
};

} // namespace

void findNormalization(Graph& graph) { Finder(graph).run(); }

} // namespace tenon
