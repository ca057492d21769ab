// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/indexing.h"
#include "backends/kernel.h"
#include "layers/pointwise/pointwise.h"

namespace tenon::cuda {

/// Where the element of an operand lies that belongs to element i of a result.
enum class OperandPlace : uint8_t {
    Same,       // at i: the operand lies like the result
    PerChannel, // at i's channel; the result has its channels last
    Strided,    // where an Indexer says
};

struct EpilogueOperand {
    void const* data = nullptr; // of the result's type
    OperandPlace place = OperandPlace::Same;
    Indexer<1> where{Dims{}, {Dims{}}};
};

struct EpilogueStep {
    PointwiseOp op = PointwiseOp::Relu;
    int8_t operand = -1;
    float alpha = 0;
    float beta = 0;
};

/// A chain of steps as a kernel takes it, by value (__grid_constant__). Elements of the result are counted as they lie,
/// padding included; what pads its channels stays zero.
struct EpilogueProgram {
    static constexpr int kMostSteps = 12;
    static constexpr int kMostOperands = 6;

    std::array<EpilogueStep, kMostSteps> steps;
    std::array<EpilogueOperand, kMostOperands> operands;
    int stepCount = 0;
    bool channelsLast = false;
    uint32_t channels = 0;  // without padding
    Divider paddedChannels; // with it
};

/// The steps of an epilogue that follow a kernel's own, made ready for its shapes and labels.
class Epilogue {
public:
    /// Steps number `done`… of the node; `withBias`: before them a sum with input 2, one number a channel, which may be
    /// packed.
    Epilogue(PrepareArgs const& args, std::span<PointwiseStep const> steps, size_t done, bool withBias);

    bool isEmpty() const { return program_.stepCount == 0; }
    /// With the addresses of the operands; `bias` where it was asked for.
    EpilogueProgram program(Pointers const& pointers, void const* bias) const;
    /// Puts the result through the steps where it lies.
    void launch(Pointers const& pointers, void const* bias) const;

private:
    void add(PointwiseStep const& step, int64_t input, PrepareArgs const& args);

    EpilogueProgram program_;
    std::array<int, EpilogueProgram::kMostOperands> inputs_{}; // of the node; -1: the bias
    int operandCount_ = 0;
    DataType type_;
    int64_t count_;
};

inline constexpr int kEpilogueBias = 2;       // the input that is the bias, where a layer has one
inline constexpr int kEpilogueFirstExtra = 3; // inputs from here on are operands of the steps

/// How an operand of an epilogue should lie beside a result: like it where both have its shape, else linear.
Label epilogueLabel(Dims const& operand, Dims const& result, Label const& label);

/// Why an Epilogue cannot have these steps: a clause, empty where it can.
std::string epilogueRefusal(Node const& node, std::span<PointwiseStep const> steps);

} // namespace tenon::cuda
