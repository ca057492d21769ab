// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rnn/rnn_layout_cpu.h"

#include <algorithm>
#include <numeric>

namespace tenon::cpu {

RnnLayout::RnnLayout(RnnProblem const& problem, bool hasPeepholes)
    : problem_(problem), panel_(bestLoops<MatmulLoops>().panel),
      blocks_((problem.hidden() + kRnnBlock - 1) / kRnnBlock), gates_(problem.layer.gates()),
      biasGates_(problem.layer.operation == RnnOperation::Gru ? 4 : gates_ + (hasPeepholes ? 3 : 0)),
      groupBlocks_(
          std::lcm(std::lcm(panel_, blockColumns()) / blockColumns(), std::lcm(panel_, kRnnBlock) / kRnnBlock)) {
    for (int64_t cell = 0; cell < problem_.cells(); ++cell) {
        int64_t const weights = problem_.layer.columnsOf(cell, problem_.elements) * columns();
        int64_t const recurrent = floats_ + weights;
        int64_t const reset = recurrent + problem_.hidden() * columns();
        cells_.push_back({floats_, recurrent, reset, reset + (resetsBefore() ? problem_.hidden() * units() : 0)});
        floats_ = cells_.back().bias + blocks_ * blockBiases();
    }
}

void RnnLayout::pack(Parameters const& from, float* to) const {
    int64_t const rows = gates_ * problem_.hidden();
    for (int64_t cell = 0; cell < problem_.cells(); ++cell) {
        int64_t const depth = problem_.layer.columnsOf(cell, problem_.elements);
        if (depth != 0) packMatrix(from.weights + problem_.weightsAt(cell), gates_, depth, to + weightsAt(cell));
        float const* const ofState = from.recurrent + cell * rows * problem_.hidden();
        packMatrix(ofState, gates_, problem_.hidden(), to + recurrentAt(cell));
        if (resetsBefore())
            packMatrix(ofState + 2 * problem_.hidden() * problem_.hidden(), 1, problem_.hidden(), to + resetAt(cell));
        packBias(from.bias == nullptr ? nullptr : from.bias + cell * 2 * rows, to + biasAt(cell));
        if (from.peepholes != nullptr) packPeepholes(from.peepholes + cell * 3 * problem_.hidden(), to + biasAt(cell));
    }
}

void RnnLayout::packMatrix(float const* matrix, int64_t gates, int64_t depth, float* to) const {
    int64_t const all = units() * gates;
    for (int64_t first = 0; first < all; first += panel_) {
        int64_t const pitch = std::min(panel_, all - first);
        for (int64_t i = 0; i < pitch; ++i) {
            int64_t const column = first + i;
            int64_t const gate = column / kRnnBlock % gates;
            int64_t const unit = column / kRnnBlock / gates * kRnnBlock + column % kRnnBlock;
            float const* const row = matrix + (gate * problem_.hidden() + unit) * depth;
            for (int64_t k = 0; k < depth; ++k) to[k * pitch + i] = unit < problem_.hidden() ? row[k] : 0;
        }
        to += depth * pitch;
    }
}

void RnnLayout::packBias(float const* bias, float* to) const {
    int64_t const hidden = problem_.hidden();
    std::fill_n(to, blocks_ * blockBiases(), 0.0F);
    if (bias == nullptr) return;
    float const* const ofState = bias + gates_ * hidden;
    bool const apart =
        problem_.layer.operation == RnnOperation::Gru; // the last gate of a Gru keeps the state's contribution separate
    for (int64_t unit = 0; unit < hidden; ++unit) {
        float* const block = to + unit / kRnnBlock * blockBiases() + unit % kRnnBlock;
        for (int64_t gate = 0; gate < gates_; ++gate) {
            int64_t const i = gate * hidden + unit;
            bool const isLast = apart && gate == gates_ - 1;
            block[gate * kRnnBlock] = isLast ? bias[i] : bias[i] + ofState[i];
            if (isLast) block[biasGates_ * kRnnBlock - kRnnBlock] = ofState[i];
        }
    }
}

void RnnLayout::packPeepholes(float const* peepholes, float* to) const {
    for (int64_t unit = 0; unit < problem_.hidden(); ++unit) {
        float* const block = to + unit / kRnnBlock * blockBiases() + gates_ * kRnnBlock + unit % kRnnBlock;
        for (int64_t gate = 0; gate < 3; ++gate) block[gate * kRnnBlock] = peepholes[gate * problem_.hidden() + unit];
    }
}

} // namespace tenon::cpu
