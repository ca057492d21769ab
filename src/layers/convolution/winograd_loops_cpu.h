// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

// F(4×4, 3×3): 16 results of a window of 3×3 by 36 multiplications instead of 144 (Lavin and Gray, "Fast algorithms for
// convolutional neural networks"; Winograd's minimal filtering by Toom and Cook). Y = Aᵀ [(G w Gᵀ) ⊙ (Bᵀ x B)] A, where
// A, B and G belong to interpolation at 0, ±p, ±2p and infinity. p is near √½: then errors are 1.2 to 2.4 times those
// of the sums themselves, with ±1 and ±2 ten times ("Error analysis and improving the accuracy of Winograd convolution
// for deep neural networks", Barabasz and others, is about this choice).
constexpr float kWinogradPoint = 181.0F / 256;
constexpr int kWinogradOut = 4; // results along an axis
constexpr int kWinogradIn = 6;  // of which elements along it decide
constexpr int kWinogradMatrices = kWinogradIn * kWinogradIn;

/// Some channels, a block, of 6×6 elements.
struct WinogradInput {
    float const* x;
    int64_t row;    // floats from row to row of X
    float* v;       // what they become: 36 blocks
    int64_t matrix; // floats from one to the next
};

/// A block of channels of up to 4×4 results.
struct WinogradOutput {
    float const* m;
    int64_t matrix;
    float const* bias; // one a channel
    float* y;
    int64_t row;
    int64_t rows, columns;         // that Y has
    bool clamps = false;           // the results, NaN excepted, to
    float least = 0, greatest = 0; // this range
};

/// The windows of some output channels for an input channel.
struct WinogradWeights {
    float const* w; // 9 rows of a float for each output channel
    int64_t tap;    // floats from one row to the next
    float* u;       // what they become: 36 rows
    int64_t matrix; // floats from one to the next
    int64_t channels;
};

/// Positions beside each other, whose channels are in blocks.
struct WinogradPositions {
    float const* x;
    int64_t block; // floats from one block of channels to the next
    int64_t blocks;
    float* greatest; // of the magnitudes of its channels, one a position
    int64_t positions;
};

struct WinogradLoops {
    void (*greatest)(WinogradPositions const& positions);
    void (*toMatrices)(WinogradInput const& input);
    /// False where a result is infinite or NaN: it may be so only because these numbers are not exact.
    bool (*fromMatrices)(WinogradOutput const& output);
    void (*weights)(WinogradWeights const& weights);
};

} // namespace tenon::cpu
