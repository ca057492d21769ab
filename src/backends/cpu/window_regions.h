// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/blocked_convolution.h"

namespace tenon::cpu {

/// A box of results whose windows have the same taps, all of them within X: padding is not multiplied.
struct WindowRegion {
    Extents first, end;       // of Y
    Extents firstTap, endTap; // that the windows have
    std::vector<BlockSegment> segments;
    int64_t depth, whole, tail; // of BlockProduct

    int64_t taps() const;
};

/// The number of regions.
size_t regionsIn(BlockedConvolution const& convolution);
/// All results, in these regions.
std::vector<WindowRegion> windowRegions(BlockedConvolution const& convolution);
/// All results as one region whose windows are in a copy of their elements, padding included.
WindowRegion copiedRegion(BlockedConvolution const& convolution, Extents const& copy);

/// Converts the sums of each column of integer products to floats.
struct RealSums {
    std::vector<std::vector<int32_t>> first; // initial sums of each region, for the zero point of X
    std::vector<float> factors, bias;

    /// \param unit divisor of the floats
    RealSums(PrepareArgs const& args, BlockedConvolution const& convolution, std::span<WindowRegion const> regions,
             float unit);
};

} // namespace tenon::cpu
