// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// Table lookups of bytes, compiled once for each instruction set.
struct ByteTableLoops {
    /// y[i] = table[x[i]] of 256
    void (*lookUp)(uint8_t* y, uint8_t const* x, int64_t count, uint8_t const* table);
    /// The same by AVX-512 VBMI; null if it is not compiled.
    void (*permute)(uint8_t* y, uint8_t const* x, int64_t count, uint8_t const* table);
};

} // namespace tenon::cpu
