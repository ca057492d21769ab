// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "onnx/tensor_reader.h"

#include <unordered_map>

namespace tenon::onnx {

/// The graph's tensors by their names in the model.
class Values {
public:
    Values(Model model, Graph& graph, TensorReader const& tensors);

    /// Adds the inputs of the model that are no initializers to the graph.
    void addInputs(Log const& log, std::optional<DimExpr> const& batch);

    /// An input, an initializer or an output of a node.
    bool has(std::string const& name) const { return known_.contains(name); }
    /// Null if its node could not be imported.
    Tensor* tensor(std::string const& name);
    /// Takes an output of a node, or null when there is none because the node failed.
    void set(std::string const& name, Tensor* tensor);
    std::vector<std::string> names() const;

    /// The type in the model: as setElementType() said, else the graph's.
    ElementType elementType(Tensor const& tensor) const;
    bool hasElementType(Tensor const& tensor) const { return types_.contains(&tensor); }
    void setElementType(Tensor const& tensor, ElementType type) { types_[&tensor] = type; }

    /// An unused name for a node or tensor of the graph: `wished`, or that with a number behind it.
    std::string freeName(std::string const& wished);

private:
    struct Value {
        Tensor* tensor = nullptr;
        pb::TensorProto const* initializer = nullptr; // becomes a constant of the graph when somebody reads it
    };

    void addInitializers();
    Shape inputShape(pb::ValueInfoProto const& input) const;
    void addInput(pb::ValueInfoProto const& input, Log const& log, std::optional<DimExpr> const& batch);

    Model model_;
    Graph& graph_;
    TensorReader const& tensors_;
    std::unordered_map<std::string, Value> known_;
    std::unordered_map<std::string, int> taken_;
    std::unordered_map<Tensor const*, ElementType> types_;
};

} // namespace tenon::onnx
