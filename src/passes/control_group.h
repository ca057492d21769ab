// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "layers/control_edge/control_edge.h"

#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace tenon {

/// Nodes of one graph.
using NodeSet = std::unordered_set<Node const*>;

/// The edges of one loop or conditional.
struct ControlGroup {
    using Role = ControlEdge::Role;

    std::map<Role, std::vector<Node*>> edges;

    /// In order; empty if it has none of that role.
    std::vector<Node*> const& of(Role role) const;
    /// The first edge of that role; null if there is none.
    Node* one(Role role) const { return of(role).empty() ? nullptr : of(role).front(); }
    /// The inputs number `input` of the edges of these roles.
    std::vector<Tensor*> inputsOf(std::initializer_list<Role> roles, int input = 0) const;
    bool isLoop() const { return of(Role::Condition).empty() && of(Role::BranchOutput).empty(); }
};

/// Any of its edges, for error texts.
Node* anEdge(ControlGroup const& group);
/// The name of the loop or conditional.
std::string const& nameOf(ControlGroup const& group);

/// The nodes that tensors depend on, and that depend on one of `entries`: those between the edges of a group.
class GroupInterior {
public:
    GroupInterior(std::vector<Node*> const& entries, std::vector<Tensor*> const& from);

    /// Without the entries.
    NodeSet const& nodes() const { return inside_; }
    /// Whether an inner node or an entry makes the tensor.
    bool has(Tensor const* tensor) const;

private:
    void visit(Tensor* tensor);

    NodeSet entries_;
    NodeSet inside_;
    NodeSet asked_;
    NodeSet known_; // whether it is inside
};

/// The nodes between all edges of a group.
GroupInterior interiorOf(ControlGroup const& group);

/// The copy of some nodes in a graph of their own; the tensors that they read from outside are its inputs.
class SubgraphCopy {
public:
    /// `order`: the nodes of the outer graph, in order. Both must stay valid.
    SubgraphCopy(std::vector<Node*> const& order, NodeSet const& nodes) : order_(order), nodes_(nodes) {}

    Graph graph;
    std::vector<Tensor*> captures; // the outer tensors, one for each input that capture() added

    /// Copied nodes read `inside`, a tensor of the copy, instead of `outside`.
    void stand(Tensor const* outside, Tensor* inside) { inside_[outside] = inside; }

    /// The tensor of the copy for an outer one: that of stand(), else a copy of a constant, else a new input.
    Tensor* capture(Tensor* tensor);

    /// Adds copies of all nodes.
    void addNodes() { addNodes(nodes_, ""); }
    /// Adds copies of these nodes, with `suffix` after their names.
    void addNodes(NodeSet const& nodes, std::string_view suffix);

    /// For the output of an edge into the group.
    void standAtEdge(Tensor const* outside, Tensor* inside);

    /// An output must not be an input, nor occur twice. Outputs and inputs lose their names, debug tensors do not.
    void give(Tensor* tensor);

private:
    std::vector<Node*> const& order_;
    NodeSet const& nodes_;
    std::unordered_map<Tensor const*, Tensor*> inside_;
};

/// Readers of `from`, and the outputs of the graph, read `to`. If `from` is a debug tensor, its value stays one.
void replaceTensor(Graph& graph, Tensor* from, Tensor* to);

/// Removes the edges and the nodes between them from the graph, whose nodes `order` lists; an Error if something
/// outside reads these.
void removeEdges(Graph& graph, std::vector<Node*> const& order, ControlGroup const& group, NodeSet const& inside);

} // namespace tenon
