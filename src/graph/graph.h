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

/// One edge of the graph: produced by a node (or the caller), read by any number of nodes.
class Tensor {
public:
    std::string name;
    DataType type = DataType::Float32;
    Shape shape;
    std::optional<Shape> values;       // of an integer tensor, if the shape rules know them
    Label label;                       // its order in memory; linear and of `type` until plan/ has assigned formats
    Quantum quantum;                   // of a float32 tensor that may be stored in 8-bit integers
    std::optional<DataType> askedType; // the type requested for storing a float32 tensor
    bool isDebug = false; // a debug tensor: passes keep it, and contexts can pass its elements to the application
    bool onHost = false;  // a shape tensor: computed by the reference kernels when shapes are set

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

/// A layer at its position in the graph. Missing optional inputs are null.
class Node {
public:
    std::string name;
    std::unique_ptr<Layer> layer;
    std::optional<DataType> askedType; // the type requested for computing: of its inputs and outputs
    bool isFirm = false;               // the requested type applies to every build
    std::string metadata;              // metadata from the application or parser, for inspectors

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

/// The intermediate representation: parsers and the API write it, passes rewrite it, plan/ assigns kernels to it. Owns
/// its nodes and tensors; pointers to them stay valid until they are removed. Copies are deep (constants share their
/// bytes). Not thread-safe.
class Graph {
public:
    Graph() = default;
    Graph(Graph const& other);
    Graph(Graph&&) = default;
    Graph& operator=(Graph other) noexcept;
    ~Graph() = default;

    std::string name;

    Tensor* addInput(std::string name, DataType type, Shape shape);
    /// Removes an input without readers.
    void removeInput(Tensor* tensor);
    void markOutput(Tensor* tensor);
    void unmarkOutput(Tensor* tensor);
    /// `to` becomes the output instead of `from`, and they swap names and marks.
    void replaceOutput(Tensor* from, Tensor* to);
    /// Adds a node and infers its outputs. An Error names the node and leaves the graph unchanged. A node without a
    /// name is named after its kind.
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
    /// Removes a node whose outputs have no readers.
    void remove(Node* node);
    /// Adds or drops outputs so that the node has `count`; dropped ones must not be read.
    void resizeOutputs(Node* node, int count);

    /// Infers types, shapes and values of one node's outputs, or of all, by the rules of their layers.
    void infer(Node* node);
    void infer();

    std::vector<Tensor*> const& inputs() const { return inputs_; }
    std::vector<Tensor*> const& outputs() const { return outputs_; }
    std::vector<std::unique_ptr<Node>> const& nodes() const { return nodes_; }
    std::vector<std::unique_ptr<Tensor>> const& tensors() const { return tensors_; }
    bool isOutput(Tensor const* tensor) const;
    Tensor* tensorNamed(std::string_view name) const; // null if there is none

    /// All nodes, each after those that it reads; otherwise in the order in which they were added. An Error names
    /// the nodes of a cycle.
    std::vector<Node*> order() const;

    /// Checks that every node's inputs belong to this graph and are produced, and that every rule holds; an Error names
    /// the violation.
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

/// One line per node: name (Kind) [fields] inputs → outputs with types and shapes.
std::string print(Graph const& graph);

/// The inputs of `node` as its rules see them.
Operands operandsOf(Node const& node);
/// Which inputs of a node its layer moves.
MovedInputs movedInputs(Node const& node);

} // namespace tenon
