// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Selecting elements that satisfy a predicate on a GPU, as Finder in scores.h does on the CPU; the kernels are in
// finder.cuh.
#pragma once

#include "gpu.h"

#include <algorithm>

namespace tenon::plugins {

/// Lists of `count` each. A list is divided into tiles, one per block, which marks and counts the elements to keep. A
/// second kernel computes the output position of each from the counts of the preceding tiles. So their order is that of
/// the list.
struct GpuFinder {
    static constexpr int64_t kSteps = 256; ///< Threads of a block, each of which processes one element at a time.
    static constexpr int64_t kMostTiles = 1024;

    GpuFinder(int64_t lists, int64_t count, GpuPieces& pieces)
        : lists(lists), count(count), words((count + 31) / 32), ofTile(largeEnough(count)),
          tiles(tilesOf(count, ofTile)), marks(pieces.take<uint32_t>({lists, words})),
          found(pieces.take<int32_t>({lists, mostTiles(count)})) {}

    int64_t lists, count;
    int64_t words;  ///< Of marks, for each list.
    int64_t ofTile; ///< Elements of a tile, a multiple of kSteps.
    int64_t tiles;  ///< Of a list.
    uint32_t* marks;
    int32_t* found; ///< The number of kept elements of each tile.

private:
    static int64_t tilesOf(int64_t count, int64_t ofTile) {
        return std::max<int64_t>((count + ofTile - 1) / ofTile, 1);
    }
    // For lists up to this size: shorter ones may have smaller and more tiles.
    static int64_t mostTiles(int64_t count) { return std::min(tilesOf(count, kSteps), kMostTiles); }
    static int64_t largeEnough(int64_t count) {
        int64_t const steps = (count + kMostTiles * kSteps - 1) / (kMostTiles * kSteps);
        return std::max<int64_t>(steps, 1) * kSteps;
    }
};

} // namespace tenon::plugins
