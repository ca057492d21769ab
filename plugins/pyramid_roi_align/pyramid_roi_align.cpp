// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// PyramidROIAlign_TRT: regions of images, each pooled to the same size from one of four feature maps, which its area
// chooses. Fields and defaults: the README of the published plugin.
#include "pyramid_roi_align.h"

#include "gpu.h"
#include "region_pooling.h"

#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

class PyramidRoiAlign final : public GpuPlugin {
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
        if (transform_ < PyramidRegions::kCorners || transform_ > PyramidRegions::kHalfPixel)
            throw std::invalid_argument("roi_coords_transform has to be -1, 0, 1 or 2");
        if (samplingRatio_ < 0 || samplingRatio_ > PyramidRegions::kMostSamples)
            throw std::invalid_argument("sampling_ratio has to be 0 to " +
                                        std::to_string(PyramidRegions::kMostSamples));
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
        pooling_.run(regions(), inputs[0], {inputs.begin() + 1, inputs.size() - 1}, outputs[0]);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t stream) override {
        if constexpr (kHasKernels) poolPyramidOnGpu(regions(), inputs, outputs[0], stream);
    }

private:
    PyramidRegions regions() const {
        PyramidRegions regions;
        regions.size = pooledSize_;
        regions.height = imageSize_[0], regions.width = imageSize_[1];
        if (isLegacy_) return legacy(regions);
        regions.isAbsolute = isAbsolute_ != 0;
        regions.yFirst = isSwapped_ != 0;
        regions.more = addsOne_ ? 1.0F : 0.0F;
        float const pixels = float(imageSize_[0]) * float(imageSize_[1]);
        regions.largestOfFinest = float(fpnScale_) * float(fpnScale_) / pixels / 4;
        regions.transform = transform_;
        regions.samplingRatio = samplingRatio_;
        return regions;
    }

    // These networks choose maps by their own threshold, for images of 1024 x 1024.
    static PyramidRegions legacy(PyramidRegions regions) {
        regions.isAbsolute = false;
        regions.yFirst = true;
        regions.largestOfFinest = 224.0F * 224.0F * 2 / (1024.0F * 1024.0F) / 16;
        regions.transform = PyramidRegions::kCorners;
        regions.samplingRatio = 1;
        return regions;
    }

    int32_t fpnScale_ = 224;
    int32_t pooledSize_ = 7;
    std::vector<int32_t> imageSize_ = {1024, 1024};
    int32_t isAbsolute_ = 1;
    int32_t isSwapped_ = 0;
    int32_t addsOne_ = 0;
    int32_t transform_ = PyramidRegions::kHalfPixel;
    int32_t samplingRatio_ = 0;
    int32_t isLegacy_ = 0;
    FormulaPooling<PyramidRegions> pooling_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<PyramidRoiAlign>("PyramidROIAlign_TRT", "1", PluginGeneration::kV2DynamicExt, "from 6.0")};

} // namespace

std::span<StandardPlugin const> pyramidRoiAlignPlugins() { return kDefinitions; }

} // namespace tenon::plugins
