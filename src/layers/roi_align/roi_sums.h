// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/roi_align/roi_bins.h"

#include <algorithm>

namespace tenon {

/// An element along one side, and its weight in a bin.
struct RoiShare {
    int32_t at;
    float weight;
};

/// The elements of a bin.
struct RoiBin {
    RoiShare const* begin;
    RoiShare const* end;

    template <class T> constexpr float sum(T const* x) const {
        float sum = 0;
        for (RoiShare const* share = begin; share != end; ++share)
            sum += static_cast<float>(x[share->at]) * share->weight;
        return sum;
    }
};

/// The weights of a bin, one after the other.
struct RoiShares {
    RoiShare* first = nullptr;
    int32_t count = 0;

    /// Elements ascend: it is one of the last two or a new one.
    constexpr void add(int64_t at, float weight) {
        for (int32_t i = count - 1; i >= 0 && i >= count - 2; --i) {
            if (first[i].at != at) continue;
            first[i].weight += weight;
            return;
        }
        first[count++] = {static_cast<int32_t>(at), weight};
    }
};

/// Calls add(element, weight) for both elements around each point of a bin; ascending.
template <class Add> constexpr void forEachTap(RoiSide const& side, int64_t bin, int64_t extent, Add const& add) {
    float const weight = 1 / static_cast<float>(side.points);
    for (int point = 0; point < side.points; ++point) { // of a reversed region, from the last one on
        RoiTaps const taps(side.at(bin, side.bin < 0 ? side.points - 1 - point : point), extent);
        if (!taps.isInside) continue;
        add(taps.low, (1 - taps.ofHigh) * weight);
        add(taps.high, taps.ofHigh * weight);
    }
}

/// The range of one bin's weights.
struct RoiSpan {
    int32_t first;
    int32_t end;
};

/// The weights of one bin, computed independently of other bins: each has its own memory, mostSharesApart() in total.
/// The elements of a bin start at the last two of the previous bin, or one later because of rounding.
constexpr int64_t mostSharesApart(int64_t bins, int64_t extent) { return extent + 3 * bins; }
constexpr RoiSpan findApart(RoiShare* memory, RoiSide const& side, int64_t bin, int64_t bins, int64_t extent) {
    int64_t const before = 3 * (side.bin < 0 ? bins - 1 - bin : bin);
    int64_t first = 0;
    RoiShares found{memory};
    forEachTap(side, bin, extent, [&](int64_t at, float weight) {
        if (found.count == 0) first = before + at;
        found.first = memory + first;
        found.add(at, weight);
    });
    return {static_cast<int32_t>(first), static_cast<int32_t>(first) + found.count};
}

/// The bins of a region along one side as weighted sums: bilinear interpolation is separable into rows and columns, and
/// so is the mean of a grid of points. Elements that no point reads are omitted. Bin b has the weights from ends[b -
/// 1], or 0, up to ends[b].
struct RoiSums {
    RoiShare* shares;
    int32_t* ends;
    int64_t bins;
    int64_t least = 0, most = -1; // of the elements

    /// The maximum number of weights. The points of a bin and the bins ascend: they divide the elements among them,
    /// except for two at their borders.
    static constexpr int64_t mostShares(int64_t bins, int64_t extent) { return extent + 2 * bins; }

    /// Stored in memory for mostShares() weights and one end per bin.
    RoiSums(RoiShare* shares, int32_t* ends, RoiSide const& side, int64_t bins, int64_t extent)
        : shares(shares), ends(ends), bins(bins), least(extent) {
        int32_t end = 0;
        for (int64_t bin = 0; bin < bins; ++bin) {
            RoiShares found{shares + end};
            forEachTap(side, bin, extent, [&](int64_t at, float weight) { found.add(at, weight); });
            if (found.count > 0) {
                least = std::min<int64_t>(least, found.first->at);
                most = std::max<int64_t>(most, found.first[found.count - 1].at);
            }
            ends[bin] = end += found.count;
        }
    }

    RoiBin bin(int64_t number) const { return {shares + (number == 0 ? 0 : ends[number - 1]), shares + ends[number]}; }
};

/// The bins of one channel x [height,width] of a region: y [bins of `down`, bins of `across`].
template <class T> void poolBins(T* y, T const* x, int64_t width, RoiSums const& down, RoiSums const& across) {
    for (int64_t i = 0; i < down.bins; ++i) {
        RoiBin const rows = down.bin(i);
        for (int64_t j = 0; j < across.bins; ++j) {
            float sum = 0;
            for (RoiShare const* row = rows.begin; row != rows.end; ++row)
                sum += across.bin(j).sum(x + row->at * width) * row->weight;
            *y++ = T(sum);
        }
    }
}

} // namespace tenon
