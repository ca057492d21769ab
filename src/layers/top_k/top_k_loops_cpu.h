// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"
#include "base/sort_key.h"

namespace tenon::cpu {

/// The keys of elements with stride `step`; returns the least of them.
template <class Bits>
using KeysLoop = Bits (*)(Bits* keys, Bits const* x, int64_t step, int64_t count, KeyRule const& rule);

/// Elements of some columns; a row of them is at one index of the axis.
template <class Bits> struct KeyRow {
    Bits const* x;
    int64_t count; // of columns
    int64_t place;
    bool orEqual; // whether an element equal to the best of its column replaces it
};
/// Keeps the least key of each column, and its place.
template <class Bits>
using BestLoop = void (*)(Bits* keys, int64_t* places, KeyRow<Bits> const& row, KeyRule const& rule);

/// For elements of one width.
template <class Bits> struct KeyLoops {
    KeysLoop<Bits> keys;
    BestLoop<Bits> best;
};

/// Compiled once for each instruction set.
struct TopKLoops {
    KeyLoops<uint8_t> of8;
    KeyLoops<uint16_t> of16;
    KeyLoops<uint32_t> of32;
    KeyLoops<uint64_t> of64;
};

} // namespace tenon::cpu
