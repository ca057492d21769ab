// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/divider.h"
#include "base/dims.h"

#include <array>

namespace tenon::cuda {

/// Maps elements of a dense row-major iteration space to `tensors` tensors, each with its own strides. Axes that all
/// tensors traverse alike are merged. Spaces must have less than 2^31 elements; an empty one has rank 0.
template <int tensors> struct Indexer {
    int rank = 0;
    std::array<Divider, Dims::kMaxRank> extents;                        // innermost first
    std::array<std::array<int64_t, Dims::kMaxRank>, tensors> strides{}; // innermost first

    Indexer() = default;
    Indexer(Dims const& dims, std::array<Dims, tensors> const& of) {
        if (dims.volume() == 0) return;
        std::array<int64_t, Dims::kMaxRank> merged{};
        for (int axis = dims.rank() - 1; axis >= 0; --axis) {
            if (dims[axis] == 1) continue;
            bool continues = rank > 0;
            for (size_t t = 0; t < tensors && continues; ++t)
                continues = of[t][axis] == strides[t][at(rank - 1)] * merged[at(rank - 1)];
            if (continues) {
                merged[at(rank - 1)] *= dims[axis];
                continue;
            }
            merged[at(rank)] = dims[axis];
            for (size_t t = 0; t < tensors; ++t) strides[t][at(rank)] = of[t][axis];
            ++rank;
        }
        for (int i = 0; i < rank; ++i) extents[at(i)] = Divider(static_cast<uint32_t>(merged[at(i)]));
    }

    /// The offsets, in elements, of element number `i`.
    TENON_ON_BOTH void offsets(uint32_t i, int64_t (&to)[tensors]) const {
        for (int t = 0; t < tensors; ++t) to[t] = 0;
        for (int axis = 0; axis < rank; ++axis) {
            uint32_t const rest = extents[at(axis)].divide(i);
            int64_t const index = i - rest * extents[at(axis)].divisor();
            for (int t = 0; t < tensors; ++t) to[t] += index * strides[static_cast<size_t>(t)][at(axis)];
            i = rest;
        }
    }

private:
    TENON_ON_BOTH static size_t at(int i) { return static_cast<size_t>(i); }
};

} // namespace tenon::cuda
