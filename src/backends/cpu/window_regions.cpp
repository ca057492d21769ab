// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/window_regions.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

/// Windows along an axis that have the same taps.
struct Run {
    int64_t first, end;
    int64_t firstTap, endTap;
};

std::vector<Run> runsOf(BlockedConvolution const& p, size_t axis) {
    std::vector<Run> runs;
    for (int64_t i = 0; i < p.out[axis]; ++i) {
        int64_t const start = i * p.stride[axis] - p.pre[axis];
        int64_t const dilation = p.dilation[axis];
        int64_t const size = p.window[axis];
        int64_t const first = std::min(ceilDiv(std::max<int64_t>(-start, 0), dilation), size);
        int64_t const end = std::clamp(ceilDiv(std::max<int64_t>(p.in[axis] - start, 0), dilation), first, size);
        bool const isLike = !runs.empty() && runs.back().firstTap == first && runs.back().endTap == end;
        if (isLike) runs.back().end = i + 1;
        if (!isLike) runs.push_back({i, i + 1, first, end});
    }
    return runs;
}

/// The strides of taps: words from a window's first position to that of a tap.
struct TapSteps {
    Extents extents;
    ChannelSteps steps;
    int64_t planeStep; // between planes of taps
};

void addSegments(BlockedConvolution const& p, TapSteps const& x, WindowRegion& region) {
    int64_t const joined = p.tapsOfSegment() == 1 ? 1 : region.endTap[2] - region.firstTap[2];
    region.depth = p.xBlock * joined;
    region.tail = p.tail() * joined;
    region.whole = region.taps() == 0 ? 0 : p.inChannels / p.xBlock * region.taps() / joined;
    for (int64_t block = 0; block < p.inBlocks() && joined != 0; ++block) {
        for (int64_t plane = region.firstTap[0]; plane < region.endTap[0]; ++plane) {
            for (int64_t row = region.firstTap[1]; row < region.endTap[1]; ++row) {
                for (int64_t place = region.firstTap[2]; place < region.endTap[2]; place += joined) {
                    int64_t const line = plane * x.planeStep * x.extents[1] + row * p.dilation[1];
                    int64_t const at = line * x.extents[2] + place * p.dilation[2];
                    int64_t const tap = (plane * p.window[1] + row) * p.window[2] + place;
                    region.segments.push_back({block * x.steps.block + at * x.steps.place,
                                               (block * p.taps() + tap) * p.xBlock * p.panelColumns});
                }
            }
        }
    }
}

/// The sum of each column's weights at each tap: [taps, columns].
std::vector<int32_t> tapSums(BlockedConvolution const& p, int8_t const* weights) {
    int64_t const columns = p.allColumns();
    std::vector<int32_t> sums(static_cast<size_t>(p.taps() * columns));
    int64_t const rows = p.pieces() * p.xBlock; // of a panel
    for (int64_t i = 0; i < p.groups * p.panels * rows; ++i) {
        int64_t const tap = i % rows / p.xBlock % p.taps();
        int32_t* const to = sums.data() + tap * columns + i / rows * p.panelColumns;
        int8_t const* const w = weights + i * p.panelColumns * 4;
        for (int64_t c = 0; c < p.panelColumns; ++c) to[c] += w[4 * c] + w[4 * c + 1] + w[4 * c + 2] + w[4 * c + 3];
    }
    return sums;
}

} // namespace

int64_t WindowRegion::taps() const {
    return (endTap[0] - firstTap[0]) * (endTap[1] - firstTap[1]) * (endTap[2] - firstTap[2]);
}

size_t regionsIn(BlockedConvolution const& p) {
    return runsOf(p, 0).size() * runsOf(p, 1).size() * runsOf(p, 2).size();
}

std::vector<WindowRegion> windowRegions(BlockedConvolution const& p) {
    std::vector<WindowRegion> regions;
    TapSteps const x{p.in, p.xSteps(), p.dilation[0]};
    auto const rows = runsOf(p, 1);
    auto const places = runsOf(p, 2);
    for (Run const& plane : runsOf(p, 0)) {
        for (Run const& row : rows) {
            for (Run const& place : places) {
                regions.push_back({.first = {plane.first, row.first, place.first},
                                   .end = {plane.end, row.end, place.end},
                                   .firstTap = {plane.firstTap, row.firstTap, place.firstTap},
                                   .endTap = {plane.endTap, row.endTap, place.endTap},
                                   .segments = {},
                                   .depth = 0,
                                   .whole = 0,
                                   .tail = 0});
                addSegments(p, x, regions.back());
            }
        }
    }
    return regions;
}

WindowRegion copiedRegion(BlockedConvolution const& p, Extents const& copy) {
    WindowRegion region{.first = {},
                        .end = p.out,
                        .firstTap = {},
                        .endTap = p.window,
                        .segments = {},
                        .depth = 0,
                        .whole = 0,
                        .tail = 0};
    addSegments(p, {copy, p.copySteps(copy), 1}, region);
    return region;
}

RealSums::RealSums(PrepareArgs const& args, BlockedConvolution const& p, std::span<WindowRegion const> regions,
                   float unit)
    : factors(static_cast<size_t>(p.allColumns())), bias(factors.size()) {
    Label const& x = args.variant.inputs[0];
    auto const* const packed = static_cast<float const*>(args.packed->bytes.data());
    for (size_t i = 0; i < factors.size(); ++i) {
        auto const* const column = packed + p.weightWords() + i;
        bias[i] = column[0] / unit;
        factors[i] = column[p.allColumns()] * x.scale / unit;
    }
    // Vectors read all X as uint8. Sums have 32 bits: both wrap around alike.
    bool const isFlipped = p.type == DataType::Int8 && !p.usesTiles();
    auto const zero = static_cast<uint32_t>(x.zero + (isFlipped ? 128 : 0));
    first.assign(regions.size(), std::vector<int32_t>(factors.size()));
    if (zero == 0) return;
    auto const sums = tapSums(p, reinterpret_cast<int8_t const*>(packed));
    for (size_t r = 0; r < regions.size(); ++r) {
        Extents const& from = regions[r].firstTap;
        Extents const& end = regions[r].endTap;
        for (int64_t tap = 0; tap < p.taps(); ++tap) {
            Extents const at{tap / p.window[2] / p.window[1], tap / p.window[2] % p.window[1], tap % p.window[2]};
            bool isSeen = true;
            for (size_t axis = 0; axis < at.size(); ++axis)
                isSeen = isSeen && at[axis] >= from[axis] && at[axis] < end[axis];
            int32_t const* const of = sums.data() + tap * p.allColumns();
            for (size_t c = 0; c < factors.size() && isSeen; ++c)
                first[r][c] =
                    static_cast<int32_t>(static_cast<uint32_t>(first[r][c]) - zero * static_cast<uint32_t>(of[c]));
        }
    }
}

} // namespace tenon::cpu
