// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <functional>
#include <unordered_map>

namespace tenon {

/// The limit for nested layers with bodies: each level infers its bodies several times.
constexpr int kMostBodiesDeep = 8;

/// Fields that are read and also know kinds of layers without a folder in layers/.
class LayerSource {
public:
    virtual std::unique_ptr<Layer> layerOf(std::string_view kind) const = 0;

protected:
    ~LayerSource() = default;
};

/// Fields that are written and store the graphs inside a layer themselves, not their description.
class BodyTaker {
public:
    virtual void take(std::string_view name, Graph const& body) = 0;

protected:
    ~BodyTaker() = default;
};

/// A graph as a field of a layer: the types of its inputs, its nodes in order with their layers' fields, its outputs.
/// Throws an Error if the data read are not such a graph. Shapes are not stored: they follow from the layer's operands.
void visitBody(Fields& fields, std::string_view name, Graph& body);

/// Adds a copy of a node of another graph, with its requested types and the quanta of its outputs.
Node* addCopy(Graph& graph, Node const& node, std::vector<Tensor*> inputs, std::string name);
inline Node* addCopy(Graph& graph, Node const& node, std::vector<Tensor*> inputs) {
    return addCopy(graph, node, std::move(inputs), node.name);
}

/// Tensors of a graph by the tensors of a body that they replace.
using StandIns = std::unordered_map<Tensor const*, Tensor*>;
/// Adds copies of a body's nodes, named by `nameOf`, except nodes whose outputs all have stand-ins; returns the body's
/// outputs in the graph. The copies are appended to `added`.
std::vector<Tensor*> addNodes(Graph& graph, Graph const& body, StandIns standIns,
                              std::function<std::string(Node const& node)> const& nameOf, std::vector<Node*>& added);
/// The same with the body's names; the nodes read `inputs` instead of the body's own.
std::vector<Tensor*> addNodes(Graph& graph, Graph const& body, std::span<Tensor* const> inputs,
                              std::vector<Node*>& added);

/// Removes a node, whose readers then read `outputs`. These take over the names if nodes of `added` make them. If one
/// of the node's outputs is an output of the graph, a debug tensor or has a requested type, an identity node takes that
/// over and is appended to `added`.
void replaceNode(Graph& graph, Node* node, std::span<Tensor* const> outputs, std::vector<Node*>& added);

/// Calls `visit` with all nodes of a graph and of the graphs inside their layers.
void forEachNode(Graph const& graph, std::function<void(Node&)> const& visit);

/// Whether the predicate holds for a node of the graphs inside a node's layer, at any depth.
bool anyInside(Node const& node, std::function<bool(Node const&)> const& test);

/// Types, shapes and values of the tensors of a body, inferred from those of its inputs. An Error names the node in the
/// body.
void inferBody(Graph& body, std::span<Operand const> inputs);

/// The properties of a body's inputs that hold in all of its runs: extents that differ between runs are symbols,
/// "<prefix>.input0.1".
std::vector<Operand> inputsOfAllRuns(BodyInputs const& inputs, std::string_view prefix);

/// The outputs of a body for these inputs, node by node by the reference kernels.
std::vector<Literal> runByReference(Graph const& body, std::span<Literal const> inputs);

/// The elements of a tensor as input of a layer's reference; shares them.
Literal lent(HostTensor const& tensor);

/// An inferred shape in a body, with the data-dependent extents of its nodes at their upper bounds.
Shape atMost(Graph const& body, Shape shape);

/// Whether an extent has symbols other than those in the shapes and values of the operands, so that something inside a
/// body decides it.
bool isDecidedInside(DimExpr const& extent, Operands const& in);

/// The value of an operand, if known.
std::optional<DimExpr> knownNumber(Operand const& operand);

} // namespace tenon
