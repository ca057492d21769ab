// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/fold_conditions.h"

#include "base/error.h"
#include "graph/dim_bounds.h"
#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"

#include <map>

namespace tenon {
namespace {

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

/// The condition of a node, if it is the same in all of these ranges.
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

} // namespace

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

} // namespace tenon
