// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

// More samples than are held at once, which no plugin's cases cover.
#include "region_pooling.h"

#include <gtest/gtest.h>

#include <vector>

namespace tenon::plugins {
namespace {

constexpr int64_t kPictures = 2, kChannels = 6, kRows = 5, kColumns = 7, kBins = 3, kRegions = 9;
constexpr int64_t kPixels = kRows * kColumns;

int64_t samplesOf(int64_t region) { return region % 4 == 3 ? 0 : 1 + region * 700; }
int64_t pixelOf(int64_t region, int64_t bin, int64_t sample) { return (region * 3 + bin * 11 + sample) % kPixels; }

// Every fifth sample is outside.
struct Example {
    Example() {
        for (int64_t i = 0; i < std::ssize(map); ++i) map[size_t(i)] = float((i * 37) % 101 - 20) / 16;
    }

    std::vector<float> pooled() {
        std::vector<float> values(size_t(kRegions * kChannels * kBins), -1);
        PluginBase::Tensor const x{
            {4, {kPictures, kChannels, kRows, kColumns}}, map.data(), nvinfer1::DataType::kFLOAT};
        PluginBase::Tensor const y{{3, {kRegions, kChannels, kBins}}, values.data(), nvinfer1::DataType::kFLOAT};
        RegionPooling pooling;
        pooling.clear(kBins);
        for (int64_t region = 0; region < kRegions; ++region) pooling.add({0, region % kPictures, samplesOf(region)});
        pooling.run({&x, 1}, y, [](size_t region, int64_t bin, int64_t sample) {
            if (sample % 5 == 4) return SamplePixels();
            int64_t const pixel = pixelOf(int64_t(region), bin, sample);
            return SamplePixels{neighboursOf(float(pixel / kColumns), kRows),
                                neighboursOf(float(pixel % kColumns), kColumns)};
        });
        return values;
    }

    double expected(int64_t region, int64_t channel, int64_t bin) const {
        double sum = 0; // a pixel beside the sampled one has weight 0
        int64_t const samples = samplesOf(region);
        for (int64_t sample = 0; sample < samples; ++sample) {
            if (sample % 5 == 4) continue;
            int64_t const plane = region % kPictures * kChannels + channel;
            sum += map[size_t(plane * kPixels + pixelOf(region, bin, sample))];
        }
        return samples > 0 ? sum / double(samples) : 0;
    }

    std::vector<float> map = std::vector<float>(size_t(kPictures * kChannels * kPixels));
};

TEST(RegionPooling, PoolsMoreSamplesThanAreHeldAtOnce) {
    Example example;
    std::vector<float> const found = example.pooled();
    for (int64_t i = 0; i < std::ssize(found); ++i) {
        int64_t const region = i / kBins / kChannels, channel = i / kBins % kChannels;
        EXPECT_NEAR(found[size_t(i)], example.expected(region, channel, i % kBins), 1e-4)
            << region << ' ' << channel << ' ' << i % kBins;
    }
}

} // namespace
} // namespace tenon::plugins
