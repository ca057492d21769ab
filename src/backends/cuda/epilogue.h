// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/indexing.h"
#include "backends/kernel.h"
#include "steps/epilogue.h"

namespace tenon::cuda {

/// Where the element of an operand lies that belongs to element i of a result.
enum class OperandPlace : uint8_t {
    Same,    // at i: the operand lies like the result, and may be loaded by packs
    Loose,   // at i, but not at an address that packs are loaded from: programs bind tensors anywhere
    One,     // at 0, for all i
    Row,     // at i's place in its row, the innermost axis: channels that lie last, columns of a product
    Strided, // where an Indexer says
};

/// The steps of an epilogue as a kernel takes them, by value (__grid_constant__). Elements of the result are counted as
/// they lie, padding included; what pads its channels stays zero. How a kernel runs them: epilogue.cuh.
struct EpilogueProgram {
    static constexpr size_t kMostSteps = kMostEpilogueSteps + 1; // with a bias before them
    static constexpr size_t kMostOperands = kMostEpilogueInputs + 1;

    struct Step {
        PointwiseOp op = PointwiseOp::Relu;
        int8_t operand = -1;
        float alpha = 0;
        float beta = 0;
    };
    struct Operand {
        void const* data = nullptr; // of the result's type
        OperandPlace place = OperandPlace::Same;
        Indexer<1> where{Dims{}, {Dims{}}};
    };

    std::array<Step, kMostSteps> steps;
    std::array<Operand, kMostOperands> operands;
    int stepCount = 0;
    bool countsRows = false; // the place in the row matters: an operand is read there, or rows are padded
    bool isSmall = true;     // below 2^31 elements: the divider does
    int64_t row = 1;         // elements of a row, without padding
    int64_t paddedRow = 1;
    Divider paddedRows; // by paddedRow
};

/// The steps of a node's epilogue that follow a kernel's own, made ready for its shapes and labels.
class EpilogueRun {
public:
    /// Why operands of these shapes cannot be read beside a dense result: a clause, empty where they can.
    static std::string refusal(std::span<EpilogueStep const> steps, std::span<Dims const> inputs, Dims const& result);

    /// Steps number `done`… of `steps`; before them a sum with input `bias`, one number a channel (axis 1), which may
    /// be packed; -1: there is none. An Error where an operand cannot be read beside a result of 2^31 elements and
    /// more.
    EpilogueRun(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done, int bias = -1);

    bool isEmpty() const { return program_.stepCount == 0; }
    /// Whether elements can be put through it so many at a time.
    bool takesPacks(int lanes) const { return !program_.countsRows || program_.paddedRow % lanes == 0; }
    /// With the addresses of the operands; `bias` where there is one.
    EpilogueProgram program(Pointers const& pointers, void const* bias = nullptr) const;
    /// Puts the result through the steps where it lies.
    void launch(Pointers const& pointers, void const* bias = nullptr) const;

private:
    void add(EpilogueStep const& step);
    void place(EpilogueProgram::Operand& operand, Dims const& dims, Format const& format);

    Dims result_;
    Format format_;
    EpilogueProgram program_;
    std::vector<int> inputs_; // of the node, one an operand
    int bias_;
    DataType type_;
    int64_t count_;
};

} // namespace tenon::cuda
