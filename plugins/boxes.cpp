// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "boxes.h"

#include <limits>

// One more version of a function for processors with wider vectors; the numbers are the same.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define TENON_WIDE_VECTORS [[gnu::target_clones("avx2", "default")]]
#else
#define TENON_WIDE_VECTORS
#endif

namespace tenon::plugins {

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

TENON_WIDE_VECTORS
bool KeptBoxes::anyOverlaps(Block const* block, Block const* end, Shape const& box, float border, float limit) {
    for (; block != end; ++block) {
        int found = 0; // all lanes: without branches, they are one vector
        for (size_t i = 0; i < kLanes; ++i) {
            Shape const kept(block->left[i], block->top[i], block->right[i], block->bottom[i], block->area[i]);
            found |= int(overlap(kept, box, border) > limit);
        }
        if (found != 0) return true;
    }
    return false;
}

} // namespace tenon::plugins
