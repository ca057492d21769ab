// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/evaluate.h"
#include "graph/graph.h"

#include <functional>
#include <set>
#include <unordered_map>

namespace tenon {

/// The shapes of all tensors for fixed input shapes: the rules of all layers in order, with shape tensors computed by
/// the reference kernels. Refers to the graph, which must not change. Any thread may call evaluate().
class ShapeProgram {
public:
    static constexpr int64_t kGuess = 32; // an extent without any bound

    explicit ShapeProgram(Graph const& graph);

    Graph const& graph() const { return graph_; }
    std::vector<Node*> const& nodes() const { return nodes_; }
    int tensorCount() const { return static_cast<int>(numbers_.size()); }
    /// -1 for null.
    int numberOf(Tensor const* tensor) const { return tensor ? numbers_.at(tensor) : -1; }

    struct Input {
        Dims dims;
        Literal host; // of a shape tensor: its elements
    };
    /// The values that the steps run so far have determined.
    struct Known {
        std::unordered_map<std::string, int64_t> sizes; // data-dependent extents, by their symbols
        std::unordered_map<int, Literal> elements;      // of measured tensors, by number
    };

    struct Shapes {
        std::vector<Dims> dims;      // by tensor number
        std::vector<Literal> host;   // of shape tensors, constants and measured tensors; without data for the rest
        std::vector<char> bounded;   // 1: `dims` depends on unknown values: an upper bound, or a guess for planning
        std::vector<char> unbounded; // 1: only the step that produces it knows its size (BodyRun::ownMemory)
        std::vector<char> guessed;   // 1: the elements in `host`, if any, depend on unknown values
    };
    /// One Input for each input of the graph. Failures of rules on unknown values are not errors.
    Shapes evaluate(std::vector<Input> const& inputs, Known const& known = {}) const;
    /// The data-dependent extents of the node's outputs, with their bounds at these shapes.
    std::vector<SizeTensor> sizesOf(Node const& node, Shapes const& shapes) const {
        return node.layer->sizes(operandsOf(node, shapes));
    }

    /// The inputs of a node as its rules see them at these shapes. Refers to them.
    Operands operandsOf(Node const& node, Shapes const& shapes) const;

private:
    struct Run;

    Graph const& graph_;
    std::vector<Node*> nodes_;
    std::unordered_map<Tensor const*, int> numbers_;
};

} // namespace tenon
