// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/format.h"
#include "graph/layer.h"

#include <memory>
#include <string>
#include <vector>

namespace tenon {

class Node;

/// One edge of the graph: what a node (or the caller) produces and any number of nodes read.
class Tensor {
public:
    std::string name;
    DataType type = DataType::Float32;
    Shape shape;
    std::optional<Shape> values;       // of an integer tensor, when the shape rules can tell them
    Label label;                       // how it lies in memory; linear and of `type` until plan/ has assigned formats
    Quantum quantum;                   // of a float32 tensor that may be kept in integers of 8 bits
    std::optional<DataType> askedType; // the type that a program asks a float32 tensor to be kept in
    bool isDebug = false;              // passes keep it, and contexts can show its elements when it is computed
    bool onHost = false;               // a shape tensor: computed by the reference kernels when shapes are set

    Node* producer() const { return producer_; } // null for an input of the graph
    /// The nodes that read it, once for each input that does.
    std::vector<Node*> const& readers() const { return readers_; }
    int producerIndex() const { return index_; }
    /// The elements, when a constant produces it.
    Literal const* literal() const;

private:
    friend class Graph;
    Node* producer_ = nullptr;
    int index_ = 0;
    std::vector<Node*> readers_;
};

/// A layer with its place in the graph. Optional inputs that are not there are null.
class Node {
public:
    std::string name;
    std::unique_ptr<Layer> layer;
    std::optional<DataType> askedType; // the type that a program asks it to compute in: its inputs' and its outputs'
    bool isFirm = false;               // it is asked for that type in every build
    std::string metadata;              // what a program or parser says of it, for inspectors

    std::vector<Tensor*> const& inputs() const { return inputs_; }
    std::vector<Tensor*> const& outputs() const { return outputs_; }
    Tensor* input(int i) const {
        return static_cast<size_t>(i) < inputs_.size() ? inputs_[static_cast<size_t>(i)] : nullptr;
    }
    Tensor* output(int i = 0) const { return outputs_[static_cast<size_t>(i)]; }
    std::string_view kind() const { return layer->kind(); }

private:
    friend class Graph;
    std::vector<Tensor*> inputs_;
    std::vector<Tensor*> outputs_;
};

void append(std::string& to, Node const& node); // conv1 (Convolution)

/// The one intermediate form: parsers and the API write it, passes rewrite it, plan/ assigns kernels to it.
/// Owns its nodes and tensors; pointers to them stay valid until they are removed. Copies are deep (constants share
/// their bytes). Not for use by several threads at once.
class Graph {
public:
    Graph() = default;
    Graph(Graph const& other);
    Graph(Graph&&) = default;
    Graph& operator=(Graph other) noexcept;
    ~Graph() = default;

    std::string name;

    Tensor* addInput(std::string name, DataType type, Shape shape);
    /// Removes an input that nobody reads.
    void removeInput(Tensor* tensor);
    void markOutput(Tensor* tensor);
    void unmarkOutput(Tensor* tensor);
    /// `to` becomes the output in the place of `from`, and they swap names and marks.
    void replaceOutput(Tensor* from, Tensor* to);
    /// Adds a node and infers its outputs. An Error (the graph is then as before) names the node. Without a name it
    /// gets one from its kind.
    Node* add(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs, std::string name = {});
    template <class T> Tensor* emit(T layer, std::vector<Tensor*> inputs, std::string name = {}) {
        return add(std::make_unique<T>(std::move(layer)), std::move(inputs), std::move(name))->output();
    }
    /// Adds a node whose outputs are not inferred yet (the API sets fields and inputs after adding).
    Node* addUnchecked(std::unique_ptr<Layer> layer, std::vector<Tensor*> inputs, int outputs, std::string name = {});

    void setInput(Node* node, int index, Tensor* tensor);
    void setInputs(Node* node, std::vector<Tensor*> inputs);
    /// Readers of `from`, and outputs of the graph, become readers of `to`, which takes over the quantum.
    void replaceUses(Tensor* from, Tensor* to);
    /// Removes a node whose outputs nobody reads.
    void remove(Node* node);
    /// Adds or drops outputs so that the node has `count`; dropped ones must not be read.
    void resizeOutputs(Node* node, int count);

    /// Types, shapes and values of one node's outputs, or of all, from the rules of their layers.
    void infer(Node* node);
    void infer();

    std::vector<Tensor*> const& inputs() const { return inputs_; }
    std::vector<Tensor*> const& outputs() const { return outputs_; }
    std::vector<std::unique_ptr<Node>> const& nodes() const { return nodes_; }
    std::vector<std::unique_ptr<Tensor>> const& tensors() const { return tensors_; }
    bool isOutput(Tensor const* tensor) const;
    Tensor* tensorNamed(std::string_view name) const; // null when there is none

    /// All nodes, each after those that it reads; otherwise in the order in which they were added. An Error names
    /// the nodes of a cycle.
    std::vector<Node*> order() const;

    /// Every node's inputs belong to this graph, are produced, and every rule holds; an Error says what does not.
    void check() const;

private:
    Tensor* newTensor(std::string name, Node* producer, int index);
    void dropTensor(Tensor* tensor);

    std::vector<std::unique_ptr<Node>> nodes_;
    std::vector<std::unique_ptr<Tensor>> tensors_;
    std::vector<Tensor*> inputs_;
    std::vector<Tensor*> outputs_;
    int64_t nextNumber_ = 0;
};

/// One line a node: name (Kind) [fields] inputs → outputs with types and shapes.
std::string print(Graph const& graph);

/// What the rules of `node` see of its inputs.
Operands operandsOf(Node const& node);
/// Which inputs of a node its layer moves.
MovedInputs movedInputs(Node const& node);

} // namespace tenon
