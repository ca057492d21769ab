// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/counted.h"
#include "backends/cuda/indexing.h"
#include "base/error.h"

namespace tenon::cuda {

// Common parts of gather and scatter kernels.

/// The indices of a node, of either type.
struct Indices {
    void const* data;
    bool wide; // int64

    __device__ int64_t operator[](int64_t i) const {
        return wide ? static_cast<int64_t const*>(data)[i] : static_cast<int32_t const*>(data)[i];
    }
};

/// Normalizes a negative index; -1 for one that is out of range.
__device__ inline int64_t inside(int64_t index, int64_t extent) {
    if (index < -extent || index >= extent) return -1;
    return index < 0 ? index + extent : index;
}

/// The modes that select whole blocks: block r of Y is the block of X that the r-th row of indices names.
///   Default  X [B,O,D,J]        indices [B,I]    block r = (b, o, i): the index at (b, i), in the axis D
///   ND       X [B,P0,…,Pk-1,J]  indices [B,I,k]  block r = (b, i): the k indices there, in the axes P
struct IndexedBlocks {
    std::array<int64_t, Dims::kMaxRank> extents{}; // of the axes that an index addresses
    int length = 1;                                // components of an index
    Divider outer;                                 // O
    Divider count;                                 // I
    Divider words;                                 // of a block

    /// The block of X; -1 if an index is out of range.
    __device__ int64_t source(uint32_t block, Indices const& indices) const {
        uint32_t const row = count.divide(block);
        int64_t const i = block - row * count.divisor();
        int64_t const tuple = (int64_t{outer.divide(row)} * count.divisor() + i) * length;
        int64_t from = row;
        for (int k = 0; k < length; ++k) {
            int64_t const extent = extents[static_cast<size_t>(k)];
            int64_t const index = inside(indices[tuple + k], extent);
            if (index < 0) return -1;
            from = from * extent + index;
        }
        return from;
    }
};

/// The offsets in X of the elements that indices name along one axis.
struct IndexedElements {
    Indexer<1> places; // of [o,0,j]
    int64_t extent = 0;
    int64_t stride = 0;
};

} // namespace tenon::cuda
