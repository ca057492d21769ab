// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace tenon {

/// The largest absolute value; infinite or NaN if any value is. 0 for no values.
float largestMagnitude(std::span<float const> values);

/// Counts absolute values in bins of equal width, the first of which starts at 0. The first values that are not all 0
/// set the width; for larger ones bins are added at the end and, where there would be twice as many, merged in pairs.
/// So the memory of a tensor does not depend on the number of batches, and kBins to 2 kBins bins reach its largest
/// value.
class Histogram {
public:
    static constexpr size_t kBins = 2048;

    Histogram() = default;
    /// Restores a saved histogram.
    Histogram(float most, double width, int64_t zeros, std::vector<int64_t> counts)
        : most_(most), width_(width), zeros_(zeros), counts_(std::move(counts)) {}

    /// Counts the values, which must be finite. Uses several threads; only one thread may call it at a time.
    void add(std::span<float const> values) { add(values, largestMagnitude(values)); }
    /// The same if their largest magnitude is known.
    void add(std::span<float const> values, float most);
    /// Records the largest magnitude of some values without counting them.
    void reach(float most);

    float most() const { return most_; }
    double width() const { return width_; }
    /// The number of values that are exactly 0: no bin counts them.
    int64_t zeros() const { return zeros_; }
    std::vector<int64_t> const& counts() const { return counts_; }

    friend bool operator==(Histogram const&, Histogram const&) = default;

private:
    void makeRoom();
    void joinPairs();

    float most_ = 0;
    double width_ = 0;
    int64_t zeros_ = 0;
    std::vector<int64_t> counts_;
};

} // namespace tenon
