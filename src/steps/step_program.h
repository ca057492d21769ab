// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "steps/step.h"

#include <optional>

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

/// What a layer is beside a Layer when all that it computes is steps: the same kernels compute every such layer.
class Stepwise {
public:
    /// Its steps in this node, whose inputs have these shapes (rank 0 for absent ones).
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

/// Of a node whose layer is Stepwise.
StepProgram programOf(Node const& node, std::span<Dims const> inputs);
/// The one step that a layer is; nothing when it is more or something else.
std::optional<PointwiseStep> oneStepOf(Layer const& layer);

} // namespace tenon
