// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/matmul_loops.h"
#include "layers/rnn/rnn.h"
#include "layers/rnn/rnn_loops_cpu.h"

namespace tenon::cpu {

/// The layout of a layer's packed weights. A matrix [H of each gate, depth] becomes the right factor [depth, columns]
/// of MatmulLoops::multiply, in panels. Columns are in blocks of units, with the gates of a block contiguous, so that a
/// thread that computes some units reads contiguous columns.
class RnnLayout {
public:
    RnnLayout(RnnProblem const& problem, bool hasPeepholes);

    int64_t blocks() const { return blocks_; }
    /// Of units: those of a state, padded with zeros.
    int64_t units() const { return blocks_ * kRnnBlock; }
    int64_t columns() const { return blocks_ * blockColumns(); }
    int64_t blockColumns() const { return gates_ * kRnnBlock; }
    /// Whether the state is reset before the product of the last gate of a Gru: that gate's matrix is also stored
    /// separately.
    bool resetsBefore() const { return !problem_.layer.resetsAfter && problem_.layer.operation == RnnOperation::Gru; }
    int64_t blockBiases() const { return biasGates_ * kRnnBlock; }
    /// After every such number of blocks, a block starts at the start of a panel.
    int64_t groupBlocks() const { return groupBlocks_; }
    int64_t floats() const { return floats_; }

    // The offset of the weights of a cell.
    int64_t weightsAt(int64_t cell) const { return cells_[static_cast<size_t>(cell)].weights; }
    int64_t recurrentAt(int64_t cell) const { return cells_[static_cast<size_t>(cell)].recurrent; }
    int64_t resetAt(int64_t cell) const { return cells_[static_cast<size_t>(cell)].reset; }
    int64_t biasAt(int64_t cell) const { return cells_[static_cast<size_t>(cell)].bias; }

    /// The layer's inputs. A null bias means zeros.
    struct Parameters {
        float const* weights;
        float const* recurrent;
        float const* bias;
        float const* peepholes; // null for none
    };
    void pack(Parameters const& from, float* to) const;

private:
    struct Cell {
        int64_t weights, recurrent, reset, bias;
    };

    /// Packs the matrix of that many gates.
    void packMatrix(float const* matrix, int64_t gates, int64_t depth, float* to) const;
    void packBias(float const* bias, float* to) const;
    /// After the biases of each block.
    void packPeepholes(float const* peepholes, float* to) const;

    RnnProblem problem_;
    int64_t panel_, blocks_, gates_, biasGates_, groupBlocks_;
    int64_t floats_ = 0;
    std::vector<Cell> cells_;
};

} // namespace tenon::cpu
