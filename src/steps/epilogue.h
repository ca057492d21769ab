// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "steps/step_program.h"

#include <optional>

namespace tenon {

/// One step of an epilogue: x' = op(x, operand), where x is what the step before has given.
struct EpilogueStep {
    PointwiseOp op = PointwiseOp::Relu;
    int64_t input = -1; // of the node: the operand; -1 where the operation has none
    double alpha = 0;
    double beta = 0;

    void fields(Fields& f) {
        f("op", op);
        f("input", input);
        f("alpha", alpha);
        f("beta", beta);
    }
};

/// What layers such as Convolution and Normalization do to their own result before they store it: a chain, the first
/// step of which works on that result. Operands are inputs of the node after its own; they broadcast
/// to the result. Passes move steps there (fuse_epilogue); libraries and kernels take as many of the first as they can.
using Epilogue = std::vector<EpilogueStep>;

/// What a layer is beside a Layer when it has an epilogue.
class HasEpilogue {
public:
    Epilogue epilogue;

    /// The input of the node at which the epilogue's operands start.
    virtual int firstOperand() const = 0;
    /// The axis of a result of this rank that output channels are on.
    virtual int channelAxis(int rank) const = 0;
    /// Whether input 1 holds weights, of which each output channel has its own.
    virtual bool hasWeights() const { return true; }

protected:
    ~HasEpilogue() = default;
};
/// The layer's epilogue; null if it has none.
HasEpilogue* hasEpilogue(Layer& layer);

/// No epilogue is longer or reads more inputs, so that kernels have room for it in their arguments.
constexpr size_t kMostEpilogueSteps = 16;
constexpr size_t kMostEpilogueInputs = 6;

/// An Error where a step cannot be computed on this result, or an input from `firstExtra` on is read by none of them.
void checkEpilogue(std::span<EpilogueStep const> steps, Operands const& in, int firstExtra, Shape const& result);

/// A step that kernels do well before they store: what pass fuse_epilogue moves into an epilogue.
bool fitsEpilogue(EpilogueStep const& step);

/// The reference: puts y through the steps where it lies. `in` are all inputs of the node; those that the steps read
/// are of y's type.
void applyEpilogue(std::span<EpilogueStep const> steps, std::span<HostTensor const> in, HostTensor const& y);

/// The same for floating point numbers, in float: puts `result` (dense, of out's shape) through the steps into `out`.
void finish(std::vector<float>& result, std::span<EpilogueStep const> steps, std::span<HostTensor const> in,
            HostTensor const& out);

/// The same steps on tensors: the result stands in the place of input 0. `inputs` are the shapes of the node's.
StepProgram programOf(std::span<EpilogueStep const> steps, std::span<Dims const> inputs, Dims const& result);

/// Steps on `inputs` tensors as a chain on number `start` of them, the others as operands; nothing when they are none.
std::optional<Epilogue> chainFrom(int64_t start, std::span<PointwiseStep const> steps, int64_t inputs);

/// How an operand of a node's epilogue should lie beside the result, which has this label: like it where both have the
/// same shape, whatever shapes the engine runs at, else linear.
Label operandLabel(Node const& node, size_t input, Label const& result);

/// Zero, from an operand that is zero, stays zero: what the padding of channels must do.
bool keepsZero(EpilogueStep const& step);

/// The elements of a floating point tensor; none of one that is not there.
std::vector<float> toFloats(HostTensor const& tensor);

} // namespace tenon
