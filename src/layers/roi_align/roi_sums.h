// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/roi_align/roi_bins.h"

#include <algorithm>

namespace tenon {

/// An element along one side, and its share of a bin.
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

/// Adds a share to those of a bin, whose elements ascend: it is of one of the last two or of a new one.
constexpr void addShare(RoiShare* shares, int32_t& count, int64_t at, float weight) {
    for (int32_t i = count - 1; i >= 0 && i >= count - 2; --i) {
        if (shares[i].at != at) continue;
        shares[i].weight += weight;
        return;
    }
    shares[count++] = {static_cast<int32_t>(at), weight};
}

/// Writes the shares of bin `bin` of a side of `extent` elements: at most one for each of them and two for each point.
/// Returns how many.
constexpr int32_t sharesOf(RoiShare* shares, RoiSide const& side, int64_t bin, int64_t extent) {
    int32_t count = 0;
    float const weight = 1 / static_cast<float>(side.points);
    for (int point = 0; point < side.points; ++point) { // of a region that is turned round, from the last one on
        RoiTaps const taps(side.at(bin, side.bin < 0 ? side.points - 1 - point : point), extent);
        if (!taps.isInside) continue;
        addShare(shares, count, taps.low, (1 - taps.ofHigh) * weight);
        addShare(shares, count, taps.high, taps.ofHigh * weight);
    }
    return count;
}

/// The bins of a region along one side as weighted sums: bilinear interpolation between points is a product of one for
/// the rows and one for the columns, and so is the mean of a grid of points. Elements that no point touches are not in
/// there. Bin b has the shares from ends[b - 1], or 0, up to ends[b].
struct RoiSums {
    RoiShare* shares;
    int32_t* ends;
    int64_t bins;
    int64_t least = 0, most = -1; // of the elements

    /// The most shares that there are. A bin's points follow each other, and so do the bins: they divide the elements
    /// among them, but for two at their borders.
    static constexpr int64_t mostShares(int64_t bins, int64_t extent) { return extent + 2 * bins; }

    /// Into memory for mostShares() and for as many ends as bins.
    RoiSums(RoiShare* shares, int32_t* ends, RoiSide const& side, int64_t bins, int64_t extent)
        : shares(shares), ends(ends), bins(bins), least(extent) {
        int32_t end = 0;
        for (int64_t bin = 0; bin < bins; ++bin) {
            int32_t const count = sharesOf(shares + end, side, bin, extent);
            if (count > 0) {
                least = std::min<int64_t>(least, shares[end].at);
                most = std::max<int64_t>(most, shares[end + count - 1].at);
            }
            ends[bin] = end += count;
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
