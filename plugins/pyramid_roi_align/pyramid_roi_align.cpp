// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// PyramidROIAlign_TRT: regions of pictures, each pooled to the same size from one of four feature maps, which its area
// chooses. Choice of the map: equation 1 of "Feature Pyramid Networks" (arXiv 1612.03144); places of the samples: "Mask
// R-CNN" (arXiv 1703.06870) and what roi_coords_transform names; fields and defaults: the README of the published
// plugin.
#include "feature_maps.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace tenon::plugins {
namespace {

constexpr int32_t kLevels = 4;

// roi_coords_transform: what 0 and 1 of a region mean in a map.
enum Transform : int32_t { kCorners = -1, kNoHalfPixel = 0, kOutputHalfPixel = 1, kHalfPixel = 2 };

// One axis of a region in its map: where its bins start, how far apart they are, the samples in each.
struct Axis {
    float start, step;
    int32_t samples;
    float shift; // of the samples in their parts of the bin

    float sampleAt(int64_t bin, int32_t sample) const {
        return start + step * (float(bin) + (float(sample) + shift) / float(samples));
    }
};

// Along one axis, as shares of the picture.
struct Extent {
    float low, high;
};

struct Region {
    Extent y, x;
};

class PyramidRoiAlign final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("fpn_scale", fpnScale_);
        visit("pooled_size", pooledSize_);
        visit("image_size", imageSize_);
        visit("roi_coords_absolute", isAbsolute_);
        visit("roi_coords_swap", isSwapped_);
        visit("roi_coords_plusone", addsOne_);
        visit("roi_coords_transform", transform_);
        visit("sampling_ratio", samplingRatio_);
        visit("legacy", isLegacy_);
    }

    void check() const override {
        if (fpnScale_ < 1) throw std::invalid_argument("fpn_scale has to be 1 or more");
        if (pooledSize_ < 1) throw std::invalid_argument("pooled_size has to be 1 or more");
        if (imageSize_.size() != 2 || imageSize_[0] < 1 || imageSize_[1] < 1)
            throw std::invalid_argument("image_size has to be two numbers, height and width, 1 or more");
        if (transform_ < kCorners || transform_ > kHalfPixel)
            throw std::invalid_argument("roi_coords_transform has to be -1, 0, 1 or 2");
        if (samplingRatio_ < 0) throw std::invalid_argument("sampling_ratio has to be 0 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("rois", "[B,R,4]")
            .input("P2", "[B,C,H,W]")
            .input("P3", "[B,C,I,J]")
            .input("P4", "[B,C,K,L]")
            .input("P5", "[B,C,M,N]")
            .output("pooled", "[B,R,C,pooled_size,pooled_size]");
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& rois = inputs[0];
        int64_t const channels = inputs[1][1];
        float* pooled = outputs[0].floats();
        for (int64_t region = 0; region < rois[0] * rois[1]; ++region) {
            Region const shares = regionOf(rois.floats() + region * 4);
            Tensor const& map = inputs[size_t(1 + pyramidLevel(areaOf(shares), largestOfFinest(), kLevels))];
            Axis const vertical = axisOf(shares.y, map[2]), horizontal = axisOf(shares.x, map[3]);
            for (int64_t channel = 0; channel < channels; ++channel)
                pooled = pool(planeOf(map, region / rois[1], channel), vertical, horizontal, pooled);
        }
    }

private:
    int32_t transform() const { return isLegacy_ ? int32_t(kCorners) : transform_; }

    // What lies outside of the picture belongs to no region.
    Extent extentOf(float a, float b, int32_t pixels) const {
        float const whole = isAbsolute_ && !isLegacy_ ? float(pixels) : 1.0F;
        auto const shareOf = [whole](float place) { return place > 0 ? std::min(place, whole) / whole : 0.0F; };
        return {shareOf(std::min(a, b)), shareOf(std::max(a, b))};
    }

    Region regionOf(float const* corners) const {
        bool const yFirst = isSwapped_ || isLegacy_;
        int32_t const y = yFirst ? 0 : 1, x = 1 - y;
        return {extentOf(corners[y], corners[y + 2], imageSize_[0]),
                extentOf(corners[x], corners[x + 2], imageSize_[1])};
    }

    float areaOf(Region const& region) const {
        float const more = addsOne_ && !isLegacy_ ? 1.0F : 0.0F;
        return (region.y.high - region.y.low + more / float(imageSize_[0])) *
               (region.x.high - region.x.low + more / float(imageSize_[1]));
    }

    // The largest share of the picture that is taken from the finest map. Legacy networks have a threshold of
    // their own, of pictures of 1024 x 1024.
    float largestOfFinest() const {
        if (isLegacy_) return 224.0F * 224.0F * 2 / (1024.0F * 1024.0F) / 16;
        return float(fpnScale_) * float(fpnScale_) / (float(imageSize_[0]) * float(imageSize_[1])) / 4;
    }

    Axis axisOf(Extent const& shares, int64_t pixels) const {
        bool const fromCorners = transform() == kCorners;
        float const scale = float(fromCorners ? pixels - 1 : pixels);
        float const length = (shares.high - shares.low) * scale;
        float const start = shares.low * scale - (transform() == kHalfPixel ? 0.5F : 0.0F);
        int32_t const ratio = isLegacy_ ? 1 : samplingRatio_;
        int32_t const samples = ratio > 0 ? ratio : std::max(int32_t(std::ceil(length / float(pooledSize_))), 1);
        float const shift = transform() >= kOutputHalfPixel ? 0.5F : 0.0F;
        // From corner to corner there is one step less than there are bins; a single bin starts at the first corner.
        int32_t const steps = fromCorners && pooledSize_ > 1 ? pooledSize_ - 1 : pooledSize_;
        return {start, length / float(steps), samples, shift};
    }

    // One channel of one region. Returns the end of what it wrote.
    float* pool(Plane const& plane, Axis const& vertical, Axis const& horizontal, float* pooled) const {
        for (int64_t row = 0; row < pooledSize_; ++row) {
            for (int64_t column = 0; column < pooledSize_; ++column)
                *pooled++ = binValue(plane, vertical, horizontal, row, column);
        }
        return pooled;
    }

    static float binValue(Plane const& plane, Axis const& vertical, Axis const& horizontal, int64_t row,
                          int64_t column) {
        float sum = 0;
        for (int32_t i = 0; i < vertical.samples; ++i) {
            for (int32_t j = 0; j < horizontal.samples; ++j)
                sum += sampleNearest(plane, vertical.sampleAt(row, i), horizontal.sampleAt(column, j));
        }
        return sum / (float(vertical.samples) * float(horizontal.samples));
    }

    int32_t fpnScale_ = 224;
    int32_t pooledSize_ = 7;
    std::vector<int32_t> imageSize_ = {1024, 1024};
    int32_t isAbsolute_ = 1;
    int32_t isSwapped_ = 0;
    int32_t addsOne_ = 0;
    int32_t transform_ = kHalfPixel;
    int32_t samplingRatio_ = 0;
    int32_t isLegacy_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<PyramidRoiAlign>("PyramidROIAlign_TRT", "1", PluginGeneration::kV2DynamicExt, "from 6.0")};

} // namespace

std::span<StandardPlugin const> pyramidRoiAlignPlugins() { return kDefinitions; }

} // namespace tenon::plugins
