// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/control_group.h"

#include "base/error.h"
#include "graph/body.h"

#include <algorithm>

namespace tenon {
namespace {

using Role = ControlEdge::Role;

/// A tensor like `tensor` that replaces it as a debug tensor.
Tensor* shownAs(Graph& graph, Tensor const& debug, Tensor* tensor) {
    Tensor* const shown = graph.add(makeLayer("Identity"), {tensor}, text(debug.name, " shown"))->output();
    shown->name = debug.name;
    shown->isDebug = true;
    return shown;
}

/// Nodes that read inner tensors and lead only to a debug tensor: no run needs them. Empty if an output of the network
/// is among their results.
NodeSet onlyShown(Graph const& graph, std::vector<Node*> const& order, NodeSet const& inside) {
    NodeSet found;
    for (Node const* node : order) {
        bool const reads = std::ranges::any_of(node->inputs(), [&](Tensor const* input) {
            return input && input->producer() &&
                   (inside.contains(input->producer()) || found.contains(input->producer()));
        });
        if (!reads || inside.contains(node)) continue;
        bool const isNeeded =
            node->outputs().empty() || node->kind() == ControlEdge::kKind ||
            std::ranges::any_of(node->outputs(), [&](Tensor const* output) { return graph.isOutput(output); });
        if (isNeeded) return {};
        found.insert(node);
    }
    return found;
}

void expectUnread(Graph const& graph, Node const& node, Tensor const& output) {
    if (graph.isOutput(&output))
        fail(ErrorCode::InvalidModel, "output ", output.name,
             " of the network is computed inside a loop or conditional, by ", node,
             "; add it with addLoopOutput() or addOutput()");
    if (!output.readers().empty())
        fail(ErrorCode::InvalidModel, *output.readers().front(), ": reads ", output.name,
             ", which is computed inside a loop or conditional, by ", node,
             "; add it with addLoopOutput() or addOutput()");
}

} // namespace

std::vector<Node*> const& ControlGroup::of(Role role) const {
    static std::vector<Node*> const none;
    auto const found = edges.find(role);
    return found == edges.end() ? none : found->second;
}

std::vector<Tensor*> ControlGroup::inputsOf(std::initializer_list<Role> roles, int input) const {
    std::vector<Tensor*> tensors;
    for (Role const role : roles) {
        for (Node const* node : of(role)) tensors.push_back(node->input(input));
    }
    return tensors;
}

Node* anEdge(ControlGroup const& group) { return group.edges.begin()->second.front(); }

std::string const& nameOf(ControlGroup const& group) { return as<ControlEdge>(*anEdge(group)->layer)->of; }

GroupInterior::GroupInterior(std::vector<Node*> const& entries, std::vector<Tensor*> const& from) {
    for (Node const* entry : entries) entries_.insert(entry);
    for (Tensor* tensor : from) visit(tensor);
}

bool GroupInterior::has(Tensor const* tensor) const {
    Node const* const producer = tensor ? tensor->producer() : nullptr;
    return producer && (entries_.contains(producer) || inside_.contains(producer));
}

/// Without recursion: a chain of nodes may be as long as a network.
void GroupInterior::visit(Tensor* tensor) {
    std::vector<Node*> open;
    if (tensor && tensor->producer()) open.push_back(tensor->producer());
    while (!open.empty()) {
        Node* const node = open.back();
        if (known_.contains(node) || entries_.contains(node)) {
            open.pop_back();
            continue;
        }
        size_t const before = open.size();
        if (asked_.insert(node).second) {
            for (Tensor const* input : node->inputs()) {
                if (input && input->producer()) open.push_back(input->producer());
            }
        }
        if (open.size() != before) continue;
        open.pop_back();
        known_.insert(node);
        if (std::ranges::any_of(node->inputs(), [&](Tensor const* input) { return has(input); })) inside_.insert(node);
    }
}

GroupInterior interiorOf(ControlGroup const& group) {
    std::vector<Node*> entries;
    for (Role const role : {Role::BranchInput, Role::Recurrence, Role::Iterator})
        entries.insert(entries.end(), group.of(role).begin(), group.of(role).end());
    auto from =
        group.inputsOf({Role::BranchOutput, Role::NextValue, Role::TripCondition, Role::LastValue, Role::Gathered});
    auto const second = group.inputsOf({Role::BranchOutput}, 1);
    from.insert(from.end(), second.begin(), second.end());
    return {entries, from};
}

Tensor* SubgraphCopy::capture(Tensor* tensor) {
    if (auto const found = inside_.find(tensor); found != inside_.end()) return found->second;
    if (tensor->literal()) // shape rules and kernels read constants
        return inside_[tensor] = graph.add(tensor->producer()->layer->clone(), {}, tensor->producer()->name)->output();
    captures.push_back(tensor);
    return inside_[tensor] = graph.addInput(tensor->name, tensor->type, tensor->shape);
}

void SubgraphCopy::addNodes(NodeSet const& nodes, std::string_view suffix) {
    for (Node const* node : order_) {
        if (!nodes.contains(node)) continue;
        std::vector<Tensor*> inputs;
        for (Tensor* input : node->inputs()) inputs.push_back(input ? capture(input) : nullptr);
        Node* const made = addCopy(graph, *node, std::move(inputs));
        made->name += suffix;
        for (size_t i = 0; i < node->outputs().size(); ++i) {
            if (!suffix.empty()) made->outputs()[i]->isDebug = false; // the first copy is the debug tensor
            stand(node->outputs()[i], made->outputs()[i]);
        }
    }
}

void SubgraphCopy::standAtEdge(Tensor const* outside, Tensor* inside) {
    stand(outside, outside->isDebug ? shownAs(graph, *outside, inside) : inside);
}

void SubgraphCopy::give(Tensor* tensor) {
    if (tensor->producer() == nullptr || tensor->isDebug || graph.isOutput(tensor))
        tensor = graph.add(makeLayer("Identity"), {tensor})->output();
    graph.markOutput(tensor);
}

void replaceTensor(Graph& graph, Tensor* from, Tensor* to) {
    if (from->isDebug && !graph.isOutput(from)) to = shownAs(graph, *from, to);
    if (graph.isOutput(from)) graph.replaceOutput(from, to);
    graph.replaceUses(from, to);
}

void removeEdges(Graph& graph, std::vector<Node*> const& order, ControlGroup const& group, NodeSet const& inside) {
    NodeSet gone = inside;
    for (auto const& [role, nodes] : group.edges) gone.insert(nodes.begin(), nodes.end());
    NodeSet const shownOnly = onlyShown(graph, order, gone);
    gone.insert(shownOnly.begin(), shownOnly.end());
    auto nodes = order;
    std::ranges::reverse(nodes);
    for (Node* node : nodes) {
        if (!gone.contains(node)) continue;
        for (Tensor const* output : node->outputs()) expectUnread(graph, *node, *output);
        graph.remove(node);
    }
}

} // namespace tenon
