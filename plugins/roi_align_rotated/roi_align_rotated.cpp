// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// RoIAlignRotated and MMCVRoIAlignRotated: regions of feature maps that stand at an angle, each pooled to the same
// size. A region is the picture's number, its centre x, y, width, height and angle, in rois of detectron2 and Caffe2 in
// degrees, counterclockwise, in those of mmcv in radians. Each bin is the mean of bilinear samples, as in "Mask R-CNN"
// (arXiv 1703.06870), section 3; a sample at (x, y) of the region that lies straight is taken at its centre plus (x cos
// + y sin, y cos - x sin) of the angle.
#include "feature_maps.h"
#include "plugin.h"
#include "region_pooling.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

// Along one side of a bin: more would take minutes for a region that is hardly in the picture. One that asks for more
// than the second is none.
constexpr float kMostSamples = 1024, kMostAskedFor = 1 << 16;

// In pixels of the map.
struct Region {
    float x, y, width, height, cosine, sine;
    int64_t rows, columns; // samples in each bin
};

class RoiAlignRotated : public PluginBase {
public:
    void check() const override {
        if (samplingRatio_ < 0) throw std::invalid_argument("sampling_ratio has to be 0 or more");
        if (!(spatialScale_ > 0)) throw std::invalid_argument("spatial_scale has to be above 0");
        if (aligned_ != 0 && aligned_ != 1) throw std::invalid_argument("aligned has to be 0 or 1");
        if (clockwise_ != 0 && clockwise_ != 1) throw std::invalid_argument("clockwise has to be 0 or 1");
    }

    void run(Tensors inputs, Tensors outputs) override {
        setRegions(inputs);
        pooling_.run(inputs[0], outputs[0], [&](size_t index, int64_t bin, int64_t sample) {
            return sampleOf(regions_[index], bin, sample, inputs[0]);
        });
    }

protected:
    explicit RoiAlignRotated(float unitOfAngles) : unitOfAngles_(unitOfAngles) {}

    int32_t height_ = 0, width_ = 0, samplingRatio_ = 0, aligned_ = 1, clockwise_ = 0;
    float spatialScale_ = 1;

private:
    void setRegions(Tensors inputs) {
        pooling_.clear(int64_t(height_) * width_);
        regions_.clear();
        for (int64_t i = 0; i < inputs[1][0]; ++i) {
            float const* const roi = inputs[1].floats() + i * 6;
            Region const& region = regions_.emplace_back(regionOf(roi, i));
            pooling_.add(pictureOf(roi[0], i, inputs[0][0]), region.rows * region.columns);
        }
    }

    Region regionOf(float const* roi, int64_t index) const {
        float const shift = aligned_ ? 0.5F : 0.0F, least = aligned_ ? -INFINITY : 1.0F;
        float const angle = roi[5] * unitOfAngles_ * (clockwise_ ? -1.0F : 1.0F);
        float const width = std::max(roi[3] * spatialScale_, least), height = std::max(roi[4] * spatialScale_, least);
        float const x = roi[1] * spatialScale_ - shift, y = roi[2] * spatialScale_ - shift;
        float const rows = samplesOf(height, height_), columns = samplesOf(width, width_);
        if (!std::isfinite(x + y + width + height + angle) || !(rows <= kMostAskedFor && columns <= kMostAskedFor))
            throw std::invalid_argument("rois[" + std::to_string(index) + "] is " + std::to_string(roi[3]) + " x " +
                                        std::to_string(roi[4]) + " around " + std::to_string(roi[1]) + ", " +
                                        std::to_string(roi[2]) + ", which is no region of a picture");
        return {x,
                y,
                width,
                height,
                std::cos(angle),
                std::sin(angle),
                int64_t(std::min(rows, kMostSamples)),
                int64_t(std::min(columns, kMostSamples))};
    }

    float samplesOf(float size, int32_t bins) const {
        return samplingRatio_ > 0 ? float(samplingRatio_) : std::max(std::ceil(size / float(bins)), 0.0F);
    }

    static int64_t pictureOf(float number, int64_t region, int64_t pictures) {
        if (number >= 0 && number < float(pictures)) return int64_t(number);
        throw std::invalid_argument("rois[" + std::to_string(region) + "] is in picture " + std::to_string(number) +
                                    "; the input has " + std::to_string(pictures) + " pictures");
    }

    BilinearSample sampleOf(Region const& region, int64_t bin, int64_t index, Tensor const& map) const {
        auto const across = [](float size, int32_t bins, int64_t which, int64_t samples, int64_t i) {
            float const binSize = size / float(bins);
            return (float(which) + (float(i) + 0.5F) / float(samples)) * binSize - size / 2;
        };
        float const y = across(region.height, height_, bin / width_, region.rows, index / region.columns);
        float const x = across(region.width, width_, bin % width_, region.columns, index % region.columns);
        Neighbours const row = neighboursOf(region.y + y * region.cosine - x * region.sine, map[2]);
        Neighbours const column = neighboursOf(region.x + x * region.cosine + y * region.sine, map[3]);
        return BilinearSample(row, column, map[3]);
    }

    float unitOfAngles_;
    std::vector<Region> regions_;
    RegionPooling pooling_;
};

class DetectronRoiAlignRotated final : public RoiAlignRotated {
public:
    DetectronRoiAlignRotated() : RoiAlignRotated(std::numbers::pi_v<float> / 180) {}

    void fields(FieldVisitor& visit) override {
        visit("spatial_scale", spatialScale_);
        visit("pooled_h", height_);
        visit("pooled_w", width_);
        visit("sampling_ratio", samplingRatio_);
        visit("aligned", aligned_);
    }

    void check() const override {
        if (height_ < 1 || width_ < 1) throw std::invalid_argument("pooled_h and pooled_w have to be given, 1 or more");
        RoiAlignRotated::check();
    }

    Signature signature() const override {
        return Signature().input("X", "[B,C,H,W]").input("RoIs", "[R,6]").output("Y", "[R,C,pooled_h,pooled_w]");
    }
};

class MmcvRoiAlignRotated final : public RoiAlignRotated {
public:
    MmcvRoiAlignRotated() : RoiAlignRotated(1) {}

    void fields(FieldVisitor& visit) override {
        visit("output_height", height_);
        visit("output_width", width_);
        visit("spatial_scale", spatialScale_);
        visit("sampling_ratio", samplingRatio_);
        visit("aligned", aligned_);
        visit("clockwise", clockwise_);
    }

    void check() const override {
        if (height_ < 1 || width_ < 1)
            throw std::invalid_argument("output_height and output_width have to be given, 1 or more");
        RoiAlignRotated::check();
    }

    Signature signature() const override {
        return Signature()
            .input("input", "[B,C,H,W]")
            .input("rois", "[R,6]")
            .output("output", "[R,C,output_height,output_width]");
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<DetectronRoiAlignRotated>("RoIAlignRotated", "1", PluginGeneration::kV2DynamicExt, ""),
    standardPlugin<MmcvRoiAlignRotated>("MMCVRoIAlignRotated", "1", PluginGeneration::kV2DynamicExt, ""),
};

} // namespace

std::span<StandardPlugin const> roiAlignRotatedPlugins() { return kDefinitions; }

} // namespace tenon::plugins
