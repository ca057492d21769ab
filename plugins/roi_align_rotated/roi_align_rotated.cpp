// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// RoIAlignRotated and MMCVRoIAlignRotated: rotated regions of feature maps, each pooled to the same size. In rois of
// detectron2 and Caffe2 angles are in degrees, counterclockwise, in those of mmcv in radians.
#include "roi_align_rotated.h"

#include "gpu.h"
#include "region_pooling.h"

#include <numbers>
#include <stdexcept>
#include <string>

namespace tenon::plugins {
namespace {

class RoiAlignRotated : public GpuPlugin {
public:
    void check() const override {
        if (samplingRatio_ < 0) throw std::invalid_argument("sampling_ratio has to be 0 or more");
        if (!(spatialScale_ > 0)) throw std::invalid_argument("spatial_scale has to be above 0");
        if (aligned_ != 0 && aligned_ != 1) throw std::invalid_argument("aligned has to be 0 or 1");
        if (clockwise_ != 0 && clockwise_ != 1) throw std::invalid_argument("clockwise has to be 0 or 1");
    }

    void run(Tensors inputs, Tensors outputs) override {
        checkRegions(inputs);
        pooling_.run(regions(), inputs[1], {inputs.begin(), 1}, outputs[0]);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t stream) override {
        if constexpr (kHasKernels) poolRotatedOnGpu(regions(), inputs, outputs[0], stream);
    }

protected:
    explicit RoiAlignRotated(float unitOfAngles) : unitOfAngles_(unitOfAngles) {}

    int32_t height_ = 0, width_ = 0, samplingRatio_ = 0, aligned_ = 1, clockwise_ = 0;
    float spatialScale_ = 1;

private:
    RotatedRegions regions() const {
        float const unit = unitOfAngles_ * (clockwise_ ? -1.0F : 1.0F);
        return {height_, width_, samplingRatio_, spatialScale_, aligned_ != 0, unit};
    }

    void checkRegions(Tensors inputs) const {
        RegionMaps const maps({inputs.begin(), 1});
        for (int64_t i = 0; i < inputs[1][0]; ++i) {
            float const* const roi = inputs[1].floats() + i * RotatedRegions::kNumbers;
            if (regions().regionOf(roi, 0, maps).map == 0) continue;
            std::string const name = "rois[" + std::to_string(i) + "] is ";
            if (!regions().isPicture(roi[0], maps))
                throw std::invalid_argument(name + "in image " + std::to_string(roi[0]) + "; the input has " +
                                            std::to_string(maps.pictures) + " images");
            throw std::invalid_argument(name + std::to_string(roi[3]) + " x " + std::to_string(roi[4]) + " around " +
                                        std::to_string(roi[1]) + ", " + std::to_string(roi[2]) +
                                        ", which is not a region of an image");
        }
    }

    float unitOfAngles_;
    FormulaPooling<RotatedRegions> pooling_;
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
