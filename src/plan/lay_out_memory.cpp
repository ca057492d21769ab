// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/lay_out_memory.h"

#include "base/error.h"

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace tenon {
namespace {

constexpr size_t kMostBytes = size_t{1} << 62; // in all; sums of sizes stay far from overflow

struct Placed {
    size_t offset;
    size_t bytes;
    int first;
    int last;
};

/// The start of the smallest gap between pieces that live at the same time, or the end of them all.
size_t findGap(std::vector<Placed> const& placed, Lifetime const& wanted,
               size_t bytes) { // `placed` is sorted by offset
    size_t best = SIZE_MAX;
    size_t bestGap = SIZE_MAX;
    size_t end = 0;
    for (Placed const& other : placed) {
        if (other.last < wanted.first || wanted.last < other.first) continue;
        size_t const gap = other.offset > end ? other.offset - end : 0;
        if (gap >= bytes && gap < bestGap) best = end, bestGap = gap;
        end = std::max(end, other.offset + other.bytes);
    }
    return best == SIZE_MAX ? end : best;
}

} // namespace

size_t roundUp(size_t bytes, size_t unit) { return (bytes + unit - 1) / unit * unit; }

MemoryLayout layOutMemory(std::span<Lifetime const> lifetimes, size_t alignment) {
    std::vector<size_t> order(lifetimes.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::ranges::stable_sort(order, std::greater{}, [&](size_t i) { return lifetimes[i].bytes; });
    MemoryLayout layout{std::vector<size_t>(lifetimes.size(), 0), 0};
    std::vector<Placed> placed;
    for (size_t const i : order) {
        Lifetime const& piece = lifetimes[i];
        if (piece.bytes == 0) continue;
        if (piece.bytes > kMostBytes - layout.bytes)
            fail(ErrorCode::Memory, "activations require more than ", kMostBytes, " bytes at these shapes");
        size_t const bytes = roundUp(piece.bytes, alignment);
        size_t const offset = findGap(placed, piece, bytes);
        layout.offsets[i] = offset;
        layout.bytes = std::max(layout.bytes, offset + bytes);
        Placed const entry{offset, bytes, piece.first, piece.last};
        placed.insert(std::ranges::upper_bound(placed, offset, {}, &Placed::offset), entry);
    }
    return layout;
}

} // namespace tenon
