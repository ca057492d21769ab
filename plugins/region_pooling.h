// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "region_samples.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

namespace tenon::plugins {

/// Four elements that are processed at once.
using Floats [[gnu::vector_size(16)]] = float;

/// The four pixels around a position in a plane, and their weights in the sample.
class BilinearSample {
public:
    /// Outside.
    BilinearSample() = default;
    /// Outside if one of them is.
    BilinearSample(SamplePixels const& pixels, int64_t width) : BilinearSample(pixels.y, pixels.x, width) {
        if (pixels.outside()) upper_ = -1;
    }

    void multiply(float factor) { weights_ *= factor; }

    /// The weighted pixels of each of several planes, row by row; 0 if there are none.
    template <size_t N> void take(float const* const (&planes)[N], Floats (&taken)[N]) const {
        std::fill_n(taken, N, Floats{});
        if (upper_ < 0) return;
        for (size_t i = 0; i < N; ++i) {
            float const *const upper = planes[i] + upper_, *const lower = planes[i] + lower_;
            taken[i] = weights_ * (hasOneColumn_ ? Floats{*upper, *upper, *lower, *lower} : pairs(upper, lower));
        }
    }

private:
    BilinearSample(Neighbours const& y, Neighbours const& x, int64_t width)
        : upper_(y.low * width + x.low), lower_(y.high * width + x.low),
          hasOneColumn_(x.high == x.low), weights_{(1 - y.weight) * (1 - x.weight), (1 - y.weight) * x.weight,
                                                   y.weight * (1 - x.weight), y.weight * x.weight} {}

    // The right pixels are next to the left ones, so both of a row are one load.
    static Floats pairs(float const* upper, float const* lower) {
        using Pairs [[gnu::vector_size(16)]] = double;
        double first, second;
        std::memcpy(&first, upper, sizeof first);
        std::memcpy(&second, lower, sizeof second);
        return std::bit_cast<Floats>(Pairs{first, second});
    }

    int64_t upper_ = -1, lower_ = -1;
    bool hasOneColumn_ = false;
    Floats weights_{};
};

/// Pools regions of feature maps, each to the same number of bins, as means of samples between the pixels. Samples are
/// computed once for all channels. One thread at a time uses an object; its memory is reused.
class RegionPooling {
public:
    /// Removes all regions.
    void clear(int64_t bins);

    /// Adds a region. If it has samples, its map and its image must exist.
    void add(PooledRegion const& region);

    /// Pools all regions, on all threads.
    /// \param maps of the same channels, each [B,C,H,W]
    /// \param pooled a tensor of R x C x bins elements
    /// \param sampleOf sampleOf(region, bin, sample in the bin); called by many threads. One that is outside is 0
    template <typename SampleOf>
    void run(PluginBase::Tensors maps, PluginBase::Tensor const& pooled, SampleOf const& sampleOf) {
        int64_t const count = clearEmpty(maps[0][1], pooled.floats());
        samples_.resize(size_t(std::min(count, kRoom)));
        for (int64_t first = 0; first < count; first += kRoom) {
            Range const range{first, std::min(first + kRoom, count)};
            find(range, maps, sampleOf);
            pool(range, maps, pooled.floats());
        }
    }

private:
    static constexpr int64_t kRoom = 1 << 14; // samples held at once
    static constexpr int64_t kChannels = 4;   // are pooled at once

    struct Region : PooledRegion {
        int64_t firstSample = 0;
    };
    // Samples by index: bin by bin of all regions.
    struct Range {
        int64_t first, end;
    };
    using Planes = float const* [kChannels];

    int64_t endOf(Region const& region) const { return region.firstSample + bins_ * region.samples; }
    size_t regionWith(int64_t sample) const;
    // Sets bins without samples to 0; returns the number of samples.
    int64_t clearEmpty(int64_t channels, float* pooled) const;

    template <typename SampleOf> void find(Range const& range, PluginBase::Tensors maps, SampleOf const& sampleOf) {
        parallelFor(range.end - range.first, rowsPerThread(32), [&](int64_t begin, int64_t end) {
            size_t index = regionWith(range.first + begin);
            for (int64_t i = begin; i < end; ++i) {
                while (range.first + i >= endOf(regions_[index])) ++index;
                Region const& region = regions_[index];
                int64_t const number = range.first + i - region.firstSample;
                SamplePixels const pixels = sampleOf(index, number / region.samples, number % region.samples);
                samples_[size_t(i)] = BilinearSample(pixels, maps[size_t(region.map)][3]);
                samples_[size_t(i)].multiply(1 / float(region.samples));
            }
        });
    }

    void pool(Range const& range, PluginBase::Tensors maps, float* pooled) const;
    void poolRegion(Range const& range, Region const& region, Planes const& planes, std::span<float> pooled) const;

    int64_t bins_ = 0, allSamples_ = 0;
    std::vector<Region> regions_;
    std::vector<BilinearSample> samples_;
};

/// The same for the regions that a formula computes; see region_samples.h.
template <typename Formula> class FormulaPooling {
public:
    /// \param rois the formula's kNumbers elements for each region, the same number of regions for each image
    void run(Formula const& formula, PluginBase::Tensor const& rois, PluginBase::Tensors maps,
             PluginBase::Tensor const& pooled) {
        if (pooled.count() == 0) return; // there may be any number of bins
        RegionMaps const of(maps);
        int64_t const count = rois.count() / Formula::kNumbers;
        pooling_.clear(formula.bins());
        regions_.clear();
        for (int64_t i = 0; i < count; ++i) {
            float const* const numbers = rois.floats() + i * Formula::kNumbers;
            regions_.push_back(formula.regionOf(numbers, i * of.pictures / count, of));
            pooling_.add(regions_.back());
        }
        pooling_.run(maps, pooled, [&](size_t index, int64_t bin, int64_t sample) {
            auto const& region = regions_[index];
            return formula.sampleOf(region, bin, sample, of.extents[region.map]);
        });
    }

private:
    std::vector<typename Formula::Region> regions_;
    RegionPooling pooling_;
};

} // namespace tenon::plugins
