// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// Some columns of the state of one head, and the inputs of one step. Heads of the query are contiguous.
struct LinearAttentionStep {
    float* state;       // row d at d · pitch
    float const* key;   // [size]
    float const* value; // of these columns
    float const* decay; // factors [size], or one; null: none
    float const* beta;  // null: none
    float const* query; // [sharing,size]
    float* result;      // of these columns; `resultPitch` between heads
    int64_t pitch, size, decayPitch, columns, sharing, resultPitch;
    float scale;
};

struct LinearAttentionLoops {
    void (*step)(LinearAttentionStep const& step);
};

} // namespace tenon::cpu
