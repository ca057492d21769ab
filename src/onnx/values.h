// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "onnx/tensor_reader.h"
#include "onnx/types.h"

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
    /// The type that the model states for an input, an initializer, an output or in its value_info.
    ElementType statedType(std::string const& name) const;
    /// Takes an output of a node, or null when there is none because the node failed.
    void set(std::string const& name, Tensor* tensor);
    std::vector<std::string> names() const;

    /// An unused name for a node or tensor of the graph: `wished`, or that with a number behind it.
    std::string freeName(std::string const& wished);

private:
    struct Value {
        Tensor* tensor = nullptr;
        pb::TensorProto const* initializer = nullptr; // becomes a constant of the graph when somebody reads it
    };

    void addInitializers();
    void noteTypes();
    Shape inputShape(pb::ValueInfoProto const& input) const;
    void addInput(pb::ValueInfoProto const& input, Log const& log, std::optional<DimExpr> const& batch);

    Model model_;
    Graph& graph_;
    TensorReader const& tensors_;
    std::unordered_map<std::string, Value> known_;
    std::unordered_map<std::string, ElementType> statedTypes_;
    std::unordered_map<std::string, int> taken_;
};

} // namespace tenon::onnx
