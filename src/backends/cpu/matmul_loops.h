// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// C [rows,columns] = A [rows,depth] B [depth,columns].
struct MatmulProduct {
    float const* a;
    float const* b;
    float* c;
    int64_t rows, columns, depth;
    int64_t aPitch, bPitch, cPitch;   // from row to row
    int64_t bColumns = 0, bDepth = 0; // where B lies in panels: of all of it, of which this may be the first part
    int64_t bFirst = 0;               // the row of B that is multiplied first; those before it are left out
    bool adds = false;                // to what C holds
};

/// The matrix product of kernels that multiply small float32 matrices themselves: attention, recurrent layers.
struct MatmulLoops {
    int64_t width; // floats in a vector register
    int64_t panel; // columns that are multiplied at a time
    /// B lies row by row, or (its pitch is 0) in panels of this many columns, one behind the other, each row by row,
    /// the last one as narrow as what is left over. Columns are a multiple of `width`.
    void (*multiply)(MatmulProduct const& product);
    /// For few rows: B lies column by column, `bPitch` apart.
    void (*multiplyTurned)(MatmulProduct const& product);
};

} // namespace tenon::cpu
