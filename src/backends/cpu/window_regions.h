// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/blocked_convolution.h"

namespace tenon::cpu {

/// A box of results whose windows see the same taps, all of them within X: what is in the padding is not multiplied.
struct WindowRegion {
    Extents first, end;       // of Y
    Extents firstTap, endTap; // which the windows see
    std::vector<BlockSegment> segments;
    int64_t depth, whole, tail; // of BlockProduct

    int64_t taps() const;
};

/// How many regions there are.
size_t regionsIn(BlockedConvolution const& convolution);
/// All results, in these regions.
std::vector<WindowRegion> windowRegions(BlockedConvolution const& convolution);
/// All results as one region whose windows are in a copy of what they see, padding included.
WindowRegion copiedRegion(BlockedConvolution const& convolution, Extents const& copy);

/// What makes floats of the sums of each column of products of integers.
struct RealSums {
    std::vector<std::vector<int32_t>> first; // what those of each region begin with, for the zero point of X
    std::vector<float> factors, bias;

    /// \param unit what the floats are divided by
    RealSums(PrepareArgs const& args, BlockedConvolution const& convolution, std::span<WindowRegion const> regions,
             float unit);
};

} // namespace tenon::cpu
