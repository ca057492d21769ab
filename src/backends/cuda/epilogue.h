// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/indexing.h"
#include "backends/kernel.h"
#include "steps/epilogue.h"

namespace tenon::cuda {

/// The index of an operand's element that belongs to element i of a result.
enum class OperandPlace : uint8_t {
    Same,    // i: the operand is stored like the result, and may be loaded by packs
    Loose,   // i, but the address is not aligned for packs: applications bind tensors at any address
    One,     // 0 for all i
    Row,     // i's position in its row, the innermost axis: channels that are last, columns of a product
    Strided, // computed by an Indexer
};

/// The steps of an epilogue as a kernel argument, passed by value (__grid_constant__). Elements of the result are
/// counted in memory order, padding included; padding channels stay zero. How a kernel runs them: epilogue.cuh.
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
    bool countsRows = false; // the position in the row matters: an operand is read there, or rows are padded
    bool isSmall = true;     // less than 2^31 elements: required by the divider
    int64_t row = 1;         // elements of a row, without padding
    int64_t paddedRow = 1;
    Divider paddedRows; // by paddedRow
};

/// The steps of a node's epilogue that follow a kernel's own, prepared for its shapes and labels.
class EpilogueRun {
public:
    /// Why operands of these shapes cannot be read with a dense result: a clause, empty if they can.
    static std::string refusal(std::span<EpilogueStep const> steps, std::span<Dims const> inputs, Dims const& result);

    /// Steps from `done` on of `steps`; before them an addition of input `bias`, one value per channel (axis 1), which
    /// may be packed; -1: none. Throws an Error if an operand cannot be read with a result of 2^31 elements and more.
    EpilogueRun(PrepareArgs const& args, std::span<EpilogueStep const> steps, size_t done, int bias = -1);

    bool isEmpty() const { return program_.stepCount == 0; }
    /// Whether the steps can be applied to that many elements at a time.
    bool takesPacks(int lanes) const { return !program_.countsRows || program_.paddedRow % lanes == 0; }
    /// The program with the addresses of the operands, and of `bias` if there is one.
    EpilogueProgram program(Pointers const& pointers, void const* bias = nullptr) const;
    /// Applies the steps to the result in place.
    void launch(Pointers const& pointers, void const* bias = nullptr) const;

private:
    void add(EpilogueStep const& step);
    void place(EpilogueProgram::Operand& operand, Dims const& dims, Format const& format);

    Dims result_;
    Format format_;
    EpilogueProgram program_;
    std::vector<int> inputs_; // of the node, one per operand
    int bias_;
    DataType type_;
    int64_t count_;
};

} // namespace tenon::cuda
