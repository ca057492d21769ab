// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/host_conditions.h"

#include "base/error.h"
#include "graph/body.h"
#include "graph/dim_bounds.h"
#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "plugin/plugin_layer.h"

#include <set>

namespace tenon {
namespace {

/// Only a run knows what it gives, or how much.
bool needsRun(Node const& node, bool readsElements) {
    if (!node.layer->sizes(operandsOf(node)).empty()) return true;
    return readsElements && onlyRunsKnow(node);
}

/// Whether the elements of a tensor are known when shapes are set.
bool isKnownAtShapes(Tensor const& tensor) {
    using Read = std::pair<Tensor const*, bool>; // a tensor, and whether its elements matter, or its shape alone
    std::vector<Read> left{{&tensor, true}};
    std::set<Read> seen;
    while (!left.empty()) {
        auto const [next, isElements] = left.back();
        left.pop_back();
        if (next->literal() || !seen.insert({next, isElements}).second) continue;
        Node const* const node = next->producer();
        if (node == nullptr && isElements && !next->onHost) return false;
        if (node == nullptr) continue;
        if (needsRun(*node, isElements)) return false;
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (Tensor const* const input = node->inputs()[i])
                left.emplace_back(input, isElements && !node->layer->readsShapeOnly(static_cast<int>(i)));
        }
    }
    return true;
}

/// The range of each symbol of the inputs over all profiles.
using Ranges = std::map<std::string, Interval>;

Ranges rangesOf(Graph const& graph, std::vector<Profile> const& profiles) {
    Ranges ranges;
    for (Profile const& profile : profiles) {
        for (Tensor const* input : graph.inputs()) {
            auto const range = profile.find(input->name);
            if (range == profile.end() || range->second.min.rank() != static_cast<int>(input->shape.size())) continue;
            for (size_t axis = 0; axis < input->shape.size(); ++axis) {
                if (input->shape[axis].op() != DimExpr::Op::Symbol) continue;
                int const at = static_cast<int>(axis);
                Interval const one{range->second.min[at], range->second.max[at]};
                auto const [known, isNew] = ranges.emplace(input->shape[axis].name(), one);
                if (!isNew) known->second = spanOf(known->second, one);
            }
        }
    }
    return ranges;
}

/// The condition of a node, where it is one for all of these ranges.
std::optional<bool> conditionIn(Ranges const& ranges, Node const& node) {
    auto const condition = knownNumber(operandsOf(node)[0]);
    if (!condition || condition->isConstant()) return std::nullopt;
    auto const bounds = boundsOf(*condition, [&](std::string const& symbol) -> std::optional<Interval> {
        auto const found = ranges.find(symbol);
        return found == ranges.end() ? std::nullopt : std::optional(found->second);
    });
    if (!bounds || bounds->least != bounds->most) return std::nullopt;
    return bounds->least != 0;
}

/// The inputs of a graph inside of a node whose elements decide shapes in it, or which of its own graphs runs.
std::vector<size_t> inputsDeciding(Node const& node, Graph body, BodyInputs const& inputs) {
    try {
        inferBody(body, inputsOfAllRuns(inputs, node.name));
        for (size_t i = 0; i < body.inputs().size(); ++i) {
            Tensor const* const outside = inputs.from[i] < 0 ? nullptr : node.input(inputs.from[i]);
            body.inputs()[i]->onHost = outside && (outside->onHost || isKnownAtShapes(*outside));
        }
        settleConditions(body);
        for (Tensor* input : body.inputs()) input->onHost = false;
        markHostTensors(body);
    } catch (Error const&) { // it cannot run with these shapes, or a plugin in it decides one
        return {};
    }
    std::vector<size_t> deciding;
    for (size_t i = 0; i < body.inputs().size(); ++i) {
        if (body.inputs()[i]->onHost) deciding.push_back(i);
    }
    return deciding;
}

std::vector<BodyInputs> bodyInputsOf(Node const& node) {
    try {
        return node.layer->bodyInputs(operandsOf(node));
    } catch (Error const&) { // its shapes are not known yet
        return {};
    }
}

} // namespace

bool settleConditions(Graph& graph) {
    bool any = false;
    for (auto const& node : graph.nodes()) {
        auto* const layer = as<Conditional>(*node->layer);
        if (!layer || layer->atShapes || node->input(0)->literal() || !isKnownAtShapes(*node->input(0))) continue;
        if (layer->isDecidedByData(operandsOf(*node))) continue; // outputs hold these extents
        layer->atShapes = any = true;
    }
    return any;
}

bool foldConditions(Graph& graph, std::vector<Profile> const& profiles) {
    Ranges const ranges = rangesOf(graph, profiles);
    bool any = false;
    for (Node* node : graph.order()) {
        if (node->kind() != Conditional::kKind) continue;
        auto const condition = conditionIn(ranges, *node);
        if (!condition) continue;
        Tensor* const constant = graph.emit(Constant(Literal::scalar(*condition)), {}, text(node->name, " condition"));
        graph.setInput(node, 0, constant);
        any = true;
    }
    return any;
}

void expectOneRank(Graph const& graph) {
    for (auto const& node : graph.nodes()) {
        auto const* const layer = as<Conditional>(*node->layer);
        if (layer) locate([&] { return text(*node); }, [&] { layer->expectOneRank(operandsOf(*node)); });
    }
}

std::vector<Tensor*> decidingInside(Graph const& graph) {
    std::vector<Tensor*> found;
    for (auto const& node : graph.nodes()) {
        bool const isBranched = node->kind() == Conditional::kKind && !node->input(0)->literal();
        if (isBranched && isKnownAtShapes(*node->input(0))) found.push_back(node->inputs()[0]);
        auto const bodies = node->layer->bodies();
        auto const inputs = bodies.empty() ? std::vector<BodyInputs>() : bodyInputsOf(*node);
        for (size_t body = 0; body < inputs.size(); ++body) {
            for (size_t const i : inputsDeciding(*node, *bodies[body], inputs[body])) {
                int const from = inputs[body].from[i];
                Tensor* const outside = from < 0 ? nullptr : node->inputs()[static_cast<size_t>(from)];
                if (outside && isKnownAtShapes(*outside)) found.push_back(outside);
            }
        }
    }
    return found;
}

} // namespace tenon
