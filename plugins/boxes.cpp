// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "boxes.h"

#include <algorithm>
#include <iterator>
#include <limits>

namespace tenon::plugins {
namespace {

// In blocks of vectors: all lanes are computed, without branches. Inlined into its callers, for their instruction sets.
template <typename Block>
[[gnu::always_inline]] inline bool anyOverlapsIn(Block const* block, Block const* end, Extent const& box, float border,
                                                 float limit) {
    for (; block != end; ++block) {
        int found = 0;
        for (size_t i = 0; i < std::size(block->left); ++i) {
            Extent const kept(block->left[i], block->top[i], block->right[i], block->bottom[i], block->area[i]);
            found |= int(overlap(kept, box, border) > limit);
        }
        if (found != 0) return true;
    }
    return false;
}

} // namespace

void KeptBoxes::clear(int64_t most, Borders borders) {
    size_t const blocks = (size_t(most) + kLanes - 1) / kLanes;
    if (blocks_.size() < blocks) blocks_.resize(blocks);
    count_ = 0;
    borders_ = borders;
}

void KeptBoxes::add(Shape const& box) {
    Block& block = blocks_[count_ / kLanes];
    size_t const lane = count_++ % kLanes;
    if (lane == 0) {
        constexpr float kInfinity = std::numeric_limits<float>::infinity();
        std::ranges::fill(block.left, kInfinity);
        std::ranges::fill(block.top, kInfinity);
        std::ranges::fill(block.right, -kInfinity);
        std::ranges::fill(block.bottom, -kInfinity);
        std::ranges::fill(block.area, 0.0F);
    }
    block.left[lane] = box.left;
    block.top[lane] = box.top;
    block.right[lane] = box.right;
    block.bottom[lane] = box.bottom;
    block.area[lane] = box.area;
}

bool KeptBoxes::overlaps(Shape const& box, float limit) const {
    if (limit < 0) return count_ > 0;
    Block const* const first = blocks_.data();
    return anyOverlaps(first, first + (count_ + kLanes - 1) / kLanes, box, borders_.common, limit);
}

// No FMA, whose rounding differs: results are the same on all processors. Not as target_clones, which crash in
// applications with ThreadSanitizer.
#if defined(__x86_64__)
[[gnu::target("avx2")]] bool KeptBoxes::anyOverlapsWide(Block const* block, Block const* end, Shape const& box,
                                                        float border, float limit) {
    return anyOverlapsIn(block, end, box, border, limit);
}
#endif

bool KeptBoxes::anyOverlaps(Block const* block, Block const* end, Shape const& box, float border, float limit) {
#if defined(__x86_64__)
    static bool const isWide = __builtin_cpu_supports("avx2") != 0;
    if (isWide) return anyOverlapsWide(block, end, box, border, limit);
#endif
    return anyOverlapsIn(block, end, box, border, limit);
}

} // namespace tenon::plugins
