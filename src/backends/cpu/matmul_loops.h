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
    int64_t aPitch, bPitch, cPitch;   // between rows
    int64_t bColumns = 0, bDepth = 0; // if B is in panels: of all of B, of which this may be the first part
    int64_t bFirst = 0;               // the row of B that is multiplied first; rows before it are skipped
    bool adds = false;                // to the contents of C
};

/// The matrix product of kernels that multiply small float32 matrices themselves: attention, recurrent layers.
struct MatmulLoops {
    int64_t width; // floats in a vector register
    int64_t panel; // columns that are multiplied at a time
    /// B is row-major, or (its pitch is 0) in contiguous panels of this many columns, each row-major, the last one as
    /// narrow as the remaining columns. The number of columns is a multiple of `width`.
    void (*multiply)(MatmulProduct const& product);
    /// For few rows: B is column-major, with pitch `bPitch`.
    void (*multiplyTurned)(MatmulProduct const& product);
};

} // namespace tenon::cpu
