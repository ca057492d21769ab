// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/sort_key.h"
#include "layers/top_k/top_k.h"

namespace tenon {

// Selections compare unsigned integers: an element's bits become a key, and the better element has the smaller one.
// Kernels of all devices use this; functions are constexpr, so that GPU code can call them.

inline KeyRule keyRuleOf(DataType type, TopK const& layer) {
    bool const max = layer.operation == TopK::Operation::Max;
    return {type, max, max || layer.nanFirst};
}

/// An element among others: no two are equal, and the better one is less. A place is an index, or, if the higher index
/// comes first, the number of elements after it.
struct NarrowEntry { // of keys up to 32 bits, and places
    uint64_t both;

    static constexpr NarrowEntry of(uint64_t key, uint64_t place) { return {key << 32 | place}; }
    static constexpr NarrowEntry worst() { return {~uint64_t{0}}; } // no element: places stay below 2^32 - 1
    constexpr uint64_t key() const { return both >> 32; }
    constexpr uint64_t place() const { return both & 0xFFFFFFFFU; }
    friend constexpr bool operator<(NarrowEntry a, NarrowEntry b) { return a.both < b.both; }
};

struct WideEntry {
    uint64_t first;
    uint64_t second;

    static constexpr WideEntry of(uint64_t key, uint64_t place) { return {key, place}; }
    static constexpr WideEntry worst() { return {~uint64_t{0}, ~uint64_t{0}}; }
    constexpr uint64_t key() const { return first; }
    constexpr uint64_t place() const { return second; }
    friend constexpr bool operator<(WideEntry a, WideEntry b) {
        return a.first < b.first || (a.first == b.first && a.second < b.second);
    }
};

} // namespace tenon
