// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// How several floats are combined.
enum class Fold { Sum, Prod, Max, Min, SumOfAbs, SumOfSquares };
constexpr int kFolds = 6;

/// The neutral element of a fold.
[[gnu::always_inline]] constexpr float neutralOf(Fold fold) {
    switch (fold) {
    case Fold::Prod: return 1;
    case Fold::Max: return -__builtin_inff();
    case Fold::Min: return __builtin_inff();
    case Fold::Sum:
    case Fold::SumOfAbs:
    case Fold::SumOfSquares: break;
    }
    return 0;
}

/// The inner loops of reductions and pooling, compiled once for each instruction set.
struct FoldLoops {
    /// into[l] = fold of into[l] and x[r * stride + l] over all rows r, for l in [0, lanes)
    void (*rows[kFolds])(float* into, float const* x, int64_t rows, int64_t stride, int64_t lanes);
    /// The fold of x[0 … count) alone.
    float (*run[kFolds])(float const* x, int64_t count);
    /// For a softmax: x[i] = exp(x[i] - maximum), 0 for -infinity; returns their sum. `count` is a multiple of
    /// MatmulLoops::width.
    float (*exponentials)(float* x, int64_t count);
};

} // namespace tenon::cpu
