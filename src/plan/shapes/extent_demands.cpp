// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/shapes/extent_demands.h"

#include "graph/elements.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <set>

namespace tenon {
namespace {

/// The symbols of the inputs, whose values every run knows. Those that depend on data are checked by the nodes that
/// read them.
std::vector<ExtentCheck::Extent> extentsOf(Graph const& graph) {
    std::vector<ExtentCheck::Extent> extents;
    for (size_t input = 0; input < graph.inputs().size(); ++input) {
        Shape const& shape = graph.inputs()[input]->shape;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            if (shape[axis].op() == DimExpr::Op::Symbol)
                extents.push_back({shape[axis].name(), static_cast<int64_t>(input), static_cast<int64_t>(axis)});
        }
    }
    return extents;
}

ExtentCheck::Seen seenOf(Node const& node, Operands const& in, int i) {
    Operand const& operand = in[i];
    ExtentCheck::Seen seen{.present = operand.present, .type = operand.type, .shape = operand.shape};
    if (!node.layer->readsValuesOf(i)) return seen;
    if (auto const values = valuesIn(operand)) {
        seen.values = {*values};
    } else if (operand.literal) {
        seen.literal = *operand.literal;
    }
    return seen;
}

/// nullopt if the rule was checked with all extents known, or depends on more: inner graphs are kept, and plugins too.
std::optional<ExtentCheck::Rule> ruleOf(Node const& node) {
    auto const isOpen = [](Tensor const* input) { return input && !isConstant(input->shape); };
    if (std::ranges::none_of(node.inputs(), isOpen) || !node.layer->bodies().empty()) return std::nullopt;
    if (node.outputs().empty() || node.kind() == PluginLayer::kKind) return std::nullopt;
    Operands const in = operandsOf(node);
    ExtentCheck::Rule rule{node.name, std::string(node.kind()), {}, node.layer->clone()};
    for (int i = 0; i < in.count(); ++i) rule.inputs.push_back(seenOf(node, in, i));
    return rule;
}

std::string textOf(Shape const& shape) {
    std::string all = text(shape);
    for (DimExpr const& dim : shape) { // large ones are printed truncated
        if (dim.isLarge()) all += text(' ', reinterpret_cast<uintptr_t>(dim.id()));
    }
    return all;
}

/// Equal for rules that accept the same extents.
std::string textOf(ExtentCheck::Rule const& rule) {
    std::string all = text(rule.kind, " [", printFields(*rule.layer), ']');
    for (ExtentCheck::Seen const& seen : rule.inputs) {
        all += seen.present ? text(' ', seen.type, textOf(seen.shape)) : " -";
        if (!seen.values.empty()) all += " = " + textOf(seen.values.front());
        if (seen.literal) all += text(" at ", reinterpret_cast<uintptr_t>(seen.literal.identity()));
    }
    return all;
}

} // namespace

ExtentDemands::ExtentDemands(Graph const& graph) {
    std::set<std::string> known;
    for (Node const* node : graph.order()) {
        auto rule = ruleOf(*node);
        if (rule && known.insert(textOf(*rule)).second) rules_.push_back(std::move(*rule));
    }
}

void ExtentDemands::addTo(Graph& graph) const {
    ExtentCheck check;
    check.extents = extentsOf(graph);
    if (check.extents.empty() || rules_.empty()) return;
    std::set<std::string> checked;
    for (auto const& node : graph.nodes()) {
        if (auto const rule = ruleOf(*node)) checked.insert(textOf(*rule));
    }
    for (ExtentCheck::Rule const& rule : rules_) {
        if (!checked.contains(textOf(rule))) check.rules.push_back(rule);
    }
    if (check.rules.empty()) return;
    graph.add(std::make_unique<ExtentCheck>(std::move(check)), graph.inputs(), "extents of removed nodes");
}

} // namespace tenon
