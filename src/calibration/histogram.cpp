// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "calibration/histogram.h"

#include "base/parallel.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <mutex>

namespace tenon {
namespace {

constexpr int64_t kGrain = 1 << 17; // the number of values that is worth a thread

/// Absolute values of floats have the order of their bits, and non-finite ones come last.
uint32_t mostBits(std::span<float const> values) {
    uint32_t most = 0;
    for (float const value : values) most = std::max(most, std::bit_cast<uint32_t>(value) & 0x7fffffffU);
    return most;
}

} // namespace

float largestMagnitude(std::span<float const> values) {
    uint32_t most = 0;
    std::mutex mutex;
    parallelFor(static_cast<int64_t>(values.size()), kGrain, [&](int64_t begin, int64_t end) {
        uint32_t const mine = mostBits(values.subspan(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
        std::scoped_lock const lock(mutex);
        most = std::max(most, mine);
    });
    return std::bit_cast<float>(most);
}

void Histogram::reach(float most) { most_ = std::max(most_, most); }

void Histogram::joinPairs() {
    for (size_t i = 0; i < counts_.size(); i += 2) {
        int64_t const second = i + 1 < counts_.size() ? counts_[i + 1] : 0;
        counts_[i / 2] = counts_[i] + second;
    }
    counts_.resize((counts_.size() + 1) / 2);
    width_ *= 2;
}

void Histogram::makeRoom() {
    auto const reached = double{most_};
    if (reached == 0) return;
    if (width_ == 0) {
        width_ = reached / kBins;
        counts_.resize(kBins);
    }
    while (reached > width_ * (2 * kBins)) joinPairs();
    auto const needed = static_cast<size_t>(std::ceil(reached / width_));
    if (needed > counts_.size()) counts_.resize(std::min(needed, 2 * kBins));
}

void Histogram::add(std::span<float const> values, float most) {
    reach(most);
    makeRoom();
    if (counts_.empty()) {
        zeros_ += static_cast<int64_t>(values.size());
        return;
    }
    std::mutex mutex;
    parallelFor(static_cast<int64_t>(values.size()), kGrain, [&](int64_t begin, int64_t end) {
        std::array<int64_t, 2 * kBins> mine{};
        int64_t zeros = 0;
        double const binsPerUnit = 1 / width_;
        size_t const last = counts_.size() - 1;
        for (int64_t i = begin; i < end; ++i) {
            double const value = std::abs(double{values[static_cast<size_t>(i)]});
            zeros += value == 0 ? 1 : 0;
            ++mine[std::min(static_cast<size_t>(value * binsPerUnit), last)];
        }
        mine[0] -= zeros;
        std::scoped_lock const lock(mutex);
        zeros_ += zeros;
        for (size_t bin = 0; bin <= last; ++bin) counts_[bin] += mine[bin];
    });
}

} // namespace tenon
