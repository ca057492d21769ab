// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/evaluate.h"
#include "graph/graph.h"

#include <unordered_map>

namespace tenon {

/// Marks the shape tensors (Tensor::onHost): those whose elements decide a shape, and all that they are computed from.
/// An Error names the node when such a tensor is computed by a plugin.
void markHostTensors(Graph& graph);

/// The shapes of all tensors for fixed input shapes: the rules of all layers in order, with shape tensors computed by
/// the reference kernels. Refers to the graph, which must stay as it is. Any thread may call evaluate().
class ShapeProgram {
public:
    explicit ShapeProgram(Graph const& graph);

    std::vector<Node*> const& nodes() const { return nodes_; }
    int tensorCount() const { return static_cast<int>(numbers_.size()); }
    /// -1 for null.
    int numberOf(Tensor const* tensor) const { return tensor ? numbers_.at(tensor) : -1; }

    struct Input {
        Dims dims;
        Literal host; // of a shape tensor: its elements
    };
    /// Extents known from runs so far, by their symbols.
    using Sizes = std::unordered_map<std::string, int64_t>;

    struct Shapes {
        std::vector<Dims> dims;    // by tensor number; for data-dependent extents the upper bound
        std::vector<Literal> host; // of shape tensors and constants; without data for the rest
        std::vector<char> bounded; // 1: `dims` is an upper bound
    };
    /// One Input for each input of the graph.
    Shapes evaluate(std::vector<Input> const& inputs, Sizes const& sizes = {}) const;
    /// The data-dependent extents of the node's outputs, with their bounds at these shapes.
    std::vector<SizeTensor> sizesOf(Node const& node, Shapes const& shapes) const {
        return node.layer->sizes(operandsOf(node, shapes));
    }

    /// What the rules of a node see of its inputs at these shapes. Refers to them.
    Operands operandsOf(Node const& node, Shapes const& shapes) const;

private:
    void evaluateNode(Node const& node, Shapes& shapes, Sizes const& sizes) const;
    void computeOnHost(Node const& node, OutputSpaces const& outputs, Shapes& shapes) const;

    Graph const& graph_;
    std::vector<Node*> nodes_;
    std::unordered_map<Tensor const*, int> numbers_;
};

} // namespace tenon
