// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <functional>
#include <unordered_map>

namespace tenon {

/// As deep as layers with bodies may stand in one another: each level infers its bodies several times.
constexpr int kMostBodiesDeep = 8;

/// Fields that are read and know kinds of layers that are no folder of layers/.
class LayerSource {
public:
    virtual std::unique_ptr<Layer> layerOf(std::string_view kind) const = 0;

protected:
    ~LayerSource() = default;
};

/// Fields that are written and take the graphs inside of a layer as they are, not their description.
class BodyTaker {
public:
    virtual void take(std::string_view name, Graph const& body) = 0;

protected:
    ~BodyTaker() = default;
};

/// A graph as a field of a layer: the types of its inputs, its nodes in order with their layers' fields, its outputs.
/// An Error where what is read is no such graph. Shapes are no part of it: they follow from the layer's operands.
void visitBody(Fields& fields, std::string_view name, Graph& body);

/// Adds a copy of a node of another graph, with what is asked of it and the quanta of what it makes.
Node* addCopy(Graph& graph, Node const& node, std::vector<Tensor*> inputs, std::string name);
inline Node* addCopy(Graph& graph, Node const& node, std::vector<Tensor*> inputs) {
    return addCopy(graph, node, std::move(inputs), node.name);
}

/// Tensors of a graph by those of a body that they stand for.
using StandIns = std::unordered_map<Tensor const*, Tensor*>;
/// Adds copies of a body's nodes, named by `nameOf`, but for nodes with stand-ins for all outputs; the body's outputs
/// there. The copies are put behind `added`.
std::vector<Tensor*> addNodes(Graph& graph, Graph const& body, StandIns standIns,
                              std::function<std::string(Node const& node)> const& nameOf, std::vector<Node*>& added);
/// The same with the names that they have in the body, which read `inputs` in place of the body's own.
std::vector<Tensor*> addNodes(Graph& graph, Graph const& body, std::span<Tensor* const> inputs,
                              std::vector<Node*>& added);

/// Removes a node, whose readers read `outputs` from then on. These take over the names where nodes of `added` make
/// them. Where one of its own is an output of the graph, a debug tensor or asked for a type, a node that passes the
/// other one on takes that over, and is put behind `added`.
void replaceNode(Graph& graph, Node* node, std::span<Tensor* const> outputs, std::vector<Node*>& added);

/// Calls `visit` with all nodes of a graph and of the graphs inside of their layers.
void forEachNode(Graph const& graph, std::function<void(Node&)> const& visit);

/// Whether one of the nodes of the graphs inside of a node's layer, and inside of those, is so.
bool anyInside(Node const& node, std::function<bool(Node const&)> const& test);

/// Types, shapes and values of the tensors of a body, from those of its inputs, one each. An Error names the node in
/// it.
void inferBody(Graph& body, std::span<Operand const> inputs);

/// What a body's inputs are in all of its runs: extents that differ between them are symbols, "<prefix>.input0.1".
std::vector<Operand> inputsOfAllRuns(BodyInputs const& inputs, std::string_view prefix);

/// The outputs of a body for these inputs, node by node by the reference kernels.
std::vector<Literal> runByReference(Graph const& body, std::span<Literal const> inputs);

/// The elements of a tensor that a layer's reference is given; shares them.
Literal lent(HostTensor const& tensor);

/// A shape in a body that was inferred, with the data-dependent extents of its nodes at their upper bounds.
Shape atMost(Graph const& body, Shape shape);

/// Whether an extent has symbols other than those in the shapes and values of the operands: something inside of a body
/// decides it.
bool isDecidedInside(DimExpr const& extent, Operands const& in);

/// The number that an operand is known to hold.
std::optional<DimExpr> knownNumber(Operand const& operand);

} // namespace tenon
