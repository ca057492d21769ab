// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "region_pooling.h"

#include "feature_maps.h"

namespace tenon::plugins {
namespace {

// The sum of the samples' weighted pixels, for each of four planes.
Floats summed(std::span<BilinearSample const> samples, float const* const (&planes)[4]) {
    Floats values[4];
    samples[0].take(planes, values);
    for (BilinearSample const& sample : samples.subspan(1)) {
        Floats taken[4];
        sample.take(planes, taken);
        for (size_t i = 0; i < 4; ++i) values[i] = values[i] + taken[i];
    }
    auto const across = [](Floats const& four) { return four[0] + four[1] + four[2] + four[3]; };
    return Floats{across(values[0]), across(values[1]), across(values[2]), across(values[3])};
}

} // namespace

void RegionPooling::clear(int64_t bins) {
    bins_ = bins;
    allSamples_ = 0;
    regions_.clear();
}

void RegionPooling::add(PooledRegion const& region) {
    regions_.push_back({region, allSamples_});
    allSamples_ += bins_ * region.samples;
}

size_t RegionPooling::regionWith(int64_t sample) const {
    return size_t(std::ranges::upper_bound(regions_, sample, {}, &Region::firstSample) - regions_.begin()) - 1;
}

int64_t RegionPooling::clearEmpty(int64_t channels, float* pooled) const {
    int64_t const size = channels * bins_;
    for (Region const& region : regions_) {
        if (region.samples == 0) std::fill_n(pooled, size, 0.0F);
        pooled += size;
    }
    return allSamples_;
}

// Of the channels pooled at once, one region after another, so that their planes stay in the caches.
void RegionPooling::pool(Range const& range, PluginBase::Tensors maps, float* pooled) const {
    int64_t const channels = maps[0][1];
    size_t const first = regionWith(range.first);
    auto const regions = int64_t(regionWith(range.end - 1) + 1 - first);
    int64_t const groups = (channels + kChannels - 1) / kChannels;
    int64_t const steps = (range.end - range.first) / regions * kChannels * 2;
    parallelFor(groups * regions, rowsPerThread(steps), [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
            size_t const number = first + size_t(i % regions);
            Region const& region = regions_[number];
            if (region.samples == 0) continue; // it may belong to no map
            int64_t const channel = i / regions * kChannels, count = std::min(kChannels, channels - channel);
            Planes planes; // if there are fewer, the last one several times
            for (int64_t plane = 0; plane < kChannels; ++plane)
                planes[plane] =
                    planeOf(maps[size_t(region.map)], region.picture, channel + std::min(plane, count - 1)).values;
            std::span<float> const to{pooled + (int64_t(number) * channels + channel) * bins_, size_t(count * bins_)};
            poolRegion(range, region, planes, to);
        }
    });
}

// pooled [channels, bins]; a bin may have begun with samples of the last range.
void RegionPooling::poolRegion(Range const& range, Region const& region, Planes const& planes,
                               std::span<float> pooled) const {
    int64_t const end = std::min(range.end, endOf(region));
    for (int64_t first = std::max(range.first, region.firstSample), next = first; first < end; first = next) {
        int64_t const bin = (first - region.firstSample) / region.samples;
        int64_t const start = region.firstSample + bin * region.samples;
        next = std::min(start + region.samples, end);
        Floats const values = summed({&samples_[size_t(first - range.first)], size_t(next - first)}, planes);
        for (int64_t i = 0; i * bins_ < std::ssize(pooled); ++i) {
            float& value = pooled[size_t(i * bins_ + bin)];
            value = first == start ? values[i] : value + values[i];
        }
    }
}

} // namespace tenon::plugins
