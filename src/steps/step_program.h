// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "steps/step.h"

#include <optional>

namespace tenon {

/// Steps, and the node inputs that are their operands.
struct StepProgram {
    std::vector<PointwiseStep> steps;
    std::vector<int> inputs; // operand i is this input of the node
    std::vector<Dims> dims;  // the shape with which it is read

    /// A layer that reads weights with a shape other than their own requires them to be linear.
    bool readsAsTheyAre(std::span<Dims const> dimsOfInputs) const;
    /// Whether a step has a boolean result.
    bool hasBool() const;
};

/// Steps on all inputs of a node.
StepProgram programOf(std::vector<PointwiseStep> steps, std::span<Dims const> inputs);

/// A mixin of layers that consist of steps: the same kernels compute every such layer.
class Stepwise {
public:
    /// The layer's steps for this node, whose inputs have these shapes (rank 0 for absent ones).
    virtual StepProgram program(Node const& node, std::span<Dims const> inputs) const = 0;

protected:
    ~Stepwise() = default;
};

/// A layer that is one step on all of its inputs.
class OneStep : public Stepwise {
public:
    virtual PointwiseStep step() const = 0;
    StepProgram program(Node const& node, std::span<Dims const> inputs) const final;

protected:
    ~OneStep() = default;
};

/// The program of a node whose layer is Stepwise.
StepProgram programOf(Node const& node, std::span<Dims const> inputs);
/// The layer's single step; nullopt if it has more or is not Stepwise.
std::optional<PointwiseStep> oneStepOf(Layer const& layer);

} // namespace tenon
