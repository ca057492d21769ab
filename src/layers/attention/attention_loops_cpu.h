// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace tenon::cpu {

/// C [rows,columns] = A [rows,depth] B [depth,columns]. B lies in panels of AttentionLoops::panel columns, one behind
/// the other, each row by row; the last one is as narrow as what is left over.
struct PanelProduct {
    float const* a;
    float const* b;
    float* c;
    int64_t rows, columns, depth; // columns are a multiple of AttentionLoops::width
    int64_t aPitch, cPitch;
    int64_t bColumns, bDepth; // of all of B, of which the product may take the first columns and rows only
};

/// The inner loops of attention, compiled once for each instruction set.
struct AttentionLoops {
    int64_t width; // floats in a vector register
    int64_t panel; // columns that are multiplied at a time
    void (*multiply)(PanelProduct const& product);
    /// x[i] = exp(x[i] - the greatest of all), 0 where x[i] is -infinity; returns their sum. `count` is a multiple of
    /// `width`.
    float (*exponentials)(float* x, int64_t count);
};

/// Those of the best instruction set that may be used.
AttentionLoops const& attentionLoops();

AttentionLoops const& portableAttentionLoops();
AttentionLoops const& avx2AttentionLoops();
AttentionLoops const& avx512AttentionLoops();

} // namespace tenon::cpu
