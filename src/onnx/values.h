// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "onnx/tensor_reader.h"
#include "onnx/types.h"
#include "onnx/weight_source.h"

#include <unordered_map>

namespace tenon::onnx {

/// The graph's tensors by their names in the model, or in a graph inside of a node, which sees the values around it.
class Values {
public:
    /// For a model's graph; `owner` keeps it alive.
    Values(pb::GraphProto const& file, std::shared_ptr<void const> owner, Graph& graph, TensorReader const& tensors);
    /// For one of several copies of a body, whose nodes go into the surrounding graph, with `prefix` before the names
    /// of nodes and tensors.
    Values(pb::GraphProto const& body, std::shared_ptr<void const> owner, Values& around, std::string const& prefix,
           int64_t copies);

    /// For a body that becomes a graph of its own.
    Values(pb::GraphProto const& body, std::shared_ptr<void const> owner, Values& around, Graph& graph);

    /// Adds the inputs of the model that are not initializers to the graph.
    void addInputs(Log const& log, std::optional<DimExpr> const& batch, bool narrowsInt64);

    /// Gives the inputs of a body their values, in order.
    void setInputs(std::vector<Tensor*> const& inputs);

    /// An input, an initializer or an output of a node.
    bool has(std::string const& name) const { return known_.contains(name) || (around_ && around_->has(name)); }
    /// Null if its node could not be imported.
    Tensor* tensor(std::string const& name);
    /// Binds an output of a node, or null if the node failed.
    void set(std::string const& name, Tensor* tensor);
    std::vector<std::string> names() const;
    /// The output of a node is known, in this body if it is in one.
    bool isSet(std::string const& name) const { return known_.contains(name); }
    /// The number of copies of the nodes in the graph.
    int64_t copies() const { return copies_; }
    Graph& graph() { return graph_; }
    /// The outer tensors that a graph of its own reads: one for each input that was added for it.
    std::vector<Tensor*> const& captures() const { return captures_; }
    /// The prefix of the names of its nodes and tensors.
    std::string const& prefix() const { return prefix_; }

    /// The type in the model: as set by setElementType(), else the graph's.
    ElementType elementType(Tensor const& tensor) const;
    bool hasElementType(Tensor const& tensor) const { return root().types_.contains(&tensor); }
    void setElementType(Tensor const& tensor, ElementType type) { root().types_[&tensor] = type; }

    /// Records the source of a constant, for the model as a whole.
    void note(WeightSource source) { root().sources_.push_back(std::move(source)); }
    std::vector<WeightSource> const& sources() const { return root().sources_; }

    /// An unused name for a node or tensor of the graph: `wished`, or that with a number appended.
    std::string freeName(std::string const& wished);

private:
    struct Value {
        Tensor* tensor = nullptr;
        pb::TensorProto const* initializer = nullptr; // becomes a constant of the graph when it is first read
    };

    /// Of the model's graph, which holds what exists once.
    Values& root() { return around_ ? around_->root() : *this; }
    Values const& root() const { return around_ ? around_->root() : *this; }
    void addInitializers();
    Tensor* captured(Tensor* outside);
    Tensor* addConstant(Literal literal, std::string const& name);
    bool isOwnGraph() const { return around_ == nullptr || &around_->graph_ != &graph_; }
    Shape inputShape(pb::ValueInfoProto const& input) const;
    void addInput(pb::ValueInfoProto const& input, Log const& log, std::optional<DimExpr> const& batch);
    void narrow(Value& input);

    pb::GraphProto const& file_;
    std::shared_ptr<void const> owner_;
    Graph& graph_;
    TensorReader const& tensors_;
    Values* around_ = nullptr;
    std::string prefix_;
    int64_t copies_ = 1;
    std::vector<Tensor*> captures_;
    std::unordered_map<std::string, Value> known_;
    std::unordered_map<std::string, int> taken_;
    std::unordered_map<Tensor const*, ElementType> types_;
    std::vector<WeightSource> sources_;
};

} // namespace tenon::onnx
