// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "layers/pointwise/pointwise.h"

namespace tenon {

/// Steps, and what of a node their operands are.
struct StepProgram {
    std::vector<PointwiseStep> steps;
    std::vector<int> inputs; // operand i is this input of the node
    std::vector<Dims> dims;  // read with this shape

    /// A layer that reads weights with another shape than they have reads them as linear.
    bool readsAsTheyAre(std::span<Dims const> dimsOfInputs) const;
    /// A step gives true or false.
    bool hasBool() const;
};

/// Steps on all inputs of a node.
StepProgram programOf(std::vector<PointwiseStep> steps, std::span<Dims const> inputs);

/// The program of a layer that is one step, and of a chain.
template <class T> StepProgram oneStep(Node const& node, std::span<Dims const> inputs) {
    return programOf({as<T>(*node.layer)->step()}, inputs);
}
template <class T> StepProgram allSteps(Node const& node, std::span<Dims const> inputs) {
    return programOf(as<T>(*node.layer)->steps, inputs);
}
template <class T> PointwiseStep stepOf(Layer const& layer) { return as<T>(layer)->step(); }

} // namespace tenon
