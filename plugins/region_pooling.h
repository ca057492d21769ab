// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "feature_maps.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace tenon::plugins {

/// Pools regions of feature maps, each to the same number of bins, as means of samples between the pixels. Samples are
/// found once for all channels. One thread at a time uses an object; its memory is used again.
class RegionPooling {
public:
    /// Begins with no regions.
    void clear(int64_t bins);

    /// One more region.
    /// \param picture of the map; there has to be such
    /// \param samples in each bin; a bin without samples is 0
    void add(int64_t picture, int64_t samples);

    /// Pools all regions, on all threads.
    /// \param map [B,C,H,W]
    /// \param pooled a tensor of R x C x bins numbers
    /// \param sampleOf sampleOf(region, bin, sample in the bin); called by many threads. One that is nowhere is 0
    template <typename SampleOf>
    void run(PluginBase::Tensor const& map, PluginBase::Tensor const& pooled, SampleOf const& sampleOf) {
        int64_t const count = clearEmpty(map[1], pooled.floats());
        samples_.resize(size_t(std::min(count, kRoom)));
        for (int64_t first = 0; first < count; first += kRoom) {
            Range const range{first, std::min(first + kRoom, count)};
            find(range, sampleOf);
            pool(range, map, pooled.floats());
        }
    }

private:
    static constexpr int64_t kRoom = 1 << 14; // for so many samples at once
    static constexpr int64_t kChannels = 4;   // are pooled at once

    struct Region {
        int64_t picture, samples, firstSample;
    };
    // Samples by their numbers: bin by bin of all regions.
    struct Range {
        int64_t first, end;
    };
    using Planes = float const* [kChannels];

    int64_t endOf(Region const& region) const { return region.firstSample + bins_ * region.samples; }
    size_t regionWith(int64_t sample) const;
    // Sets what has no samples to 0; returns how many samples there are.
    int64_t clearEmpty(int64_t channels, float* pooled) const;

    template <typename SampleOf> void find(Range const& range, SampleOf const& sampleOf) {
        parallelFor(range.end - range.first, rowsPerThread(32), [&](int64_t begin, int64_t end) {
            size_t region = regionWith(range.first + begin);
            for (int64_t i = begin; i < end; ++i) {
                while (range.first + i >= endOf(regions_[region])) ++region;
                int64_t const number = range.first + i - regions_[region].firstSample;
                int64_t const samples = regions_[region].samples;
                BilinearSample& sample = samples_[size_t(i)] = sampleOf(region, number / samples, number % samples);
                sample.multiply(1 / float(samples));
            }
        });
    }

    void pool(Range const& range, PluginBase::Tensor const& map, float* pooled) const;
    void poolRegion(Range const& range, Region const& region, Planes const& planes, std::span<float> pooled) const;

    int64_t bins_ = 0, allSamples_ = 0;
    std::vector<Region> regions_;
    std::vector<BilinearSample> samples_;
};

} // namespace tenon::plugins
