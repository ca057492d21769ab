// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// How many floats become one.
enum class Fold { Sum, Prod, Max, Min, SumOfAbs, SumOfSquares };
constexpr int kFolds = 6;

/// What a fold starts from.
float neutralOf(Fold fold);

/// The inner loops of reductions and pooling, compiled once for each instruction set.
struct FoldLoops {
    /// into[l] = fold of into[l] and x[r * stride + l] over all rows r, for l in [0, lanes)
    void (*rows[kFolds])(float* into, float const* x, int64_t rows, int64_t stride, int64_t lanes);
    /// The fold of x[0 … count) alone.
    float (*run[kFolds])(float const* x, int64_t count);
};

/// Those of the best instruction set that may be used.
FoldLoops const& foldLoops();

FoldLoops const& portableFoldLoops();
FoldLoops const& avx2FoldLoops();
FoldLoops const& avx512FoldLoops();

} // namespace tenon::cpu
