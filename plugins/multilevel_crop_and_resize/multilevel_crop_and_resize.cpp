// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// MultilevelCropAndResize_TRT: regions in pixels of the picture, each resized from one of five feature maps P2 to P6 of
// 1/4 to 1/64 of its size, one sample in the middle of each bin. Choice of the map: equation 1 of "Feature Pyramid
// Networks" (arXiv 1612.03144) with its scale of 224; fields: the README of the published plugin.
#include "feature_maps.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr int32_t kLevels = 5;
constexpr float kLargestOfFinest = 224 * 224 / 4.0F; // in pixels: half of the scale, squared

struct Region {
    float y1, x1, y2, x2;
};

class MultilevelCropAndResize final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("pooled_size", pooledSize_);
        visit("image_size", imageSize_);
    }

    void check() const override {
        if (pooledSize_ < 1) throw std::invalid_argument("pooled_size has to be given, 1 or more");
        checkImageSize(imageSize_);
    }

    Signature signature() const override {
        return Signature()
            .input("rois", "[B,R,4]")
            .input("P2", "[B,C,H,W]")
            .input("P3", "[B,C,I,J]")
            .input("P4", "[B,C,K,L]")
            .input("P5", "[B,C,M,N]")
            .input("P6", "[B,C,P,Q]")
            .output("pooled", "[B,R,C,pooled_size,pooled_size]");
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& rois = inputs[0];
        int64_t const channels = inputs[1][1], bins = outputs[0].count(3, 5);
        float* pooled = outputs[0].floats();
        for (int64_t number = 0; number < rois[0] * rois[1]; ++number) {
            float const* const corners = rois.floats() + number * 4;
            Region region = {corners[0], corners[1], corners[2], corners[3]};
            int32_t level = 0;
            bool const isInPicture = isValid(region);
            if (isInPicture) level = toLevel(region);
            for (int64_t channel = 0; channel < channels; ++channel, pooled += bins) {
                if (isInPicture)
                    resize(planeOf(inputs[size_t(1 + level)], number / rois[1], channel), region, pooled);
                else
                    std::fill_n(pooled, bins, 0.0F);
            }
        }
    }

private:
    // The rows that fill up a list of regions are not.
    bool isValid(Region const& region) const {
        return region.y1 >= 0 && region.x1 >= 0 && region.y2 <= float(imageSize_[1]) &&
               region.x2 <= float(imageSize_[2]) && region.y1 < region.y2 && region.x1 < region.x2;
    }

    // The level; the region's places become those of its map.
    static int32_t toLevel(Region& region) {
        float const area = (region.y2 - region.y1) * (region.x2 - region.x1);
        int32_t const level = pyramidLevel(area, kLargestOfFinest, kLevels);
        auto const stride = float(4 << level);
        region = {region.y1 / stride, region.x1 / stride, region.y2 / stride, region.x2 / stride};
        return level;
    }

    void resize(Plane const& plane, Region const& region, float* pooled) const {
        float const height = (region.y2 - region.y1) / float(pooledSize_);
        float const width = (region.x2 - region.x1) / float(pooledSize_);
        for (int32_t row = 0; row < pooledSize_; ++row) {
            for (int32_t column = 0; column < pooledSize_; ++column)
                *pooled++ = sampleNearest(plane, region.y1 + height * (float(row) + 0.5F),
                                          region.x1 + width * (float(column) + 0.5F));
        }
    }

    int32_t pooledSize_ = 0;
    std::vector<int32_t> imageSize_ = {3, 832, 1344};
};

constexpr StandardPlugin kDefinitions[] = {standardPlugin<MultilevelCropAndResize>(
    "MultilevelCropAndResize_TRT", "1", PluginGeneration::kV2DynamicExt, "from 7.1")};

} // namespace

std::span<StandardPlugin const> multilevelCropAndResizePlugins() { return kDefinitions; }

} // namespace tenon::plugins
