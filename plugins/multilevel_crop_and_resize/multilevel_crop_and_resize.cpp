// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// MultilevelCropAndResize_TRT: regions in pixels of the image, each resized from one of five feature maps P2 to P6 of
// 1/4 to 1/64 of its size, one sample at the centre of each bin. Choice of the map: equation 1 of "Feature Pyramid
// Networks" (arXiv 1612.03144) with its scale of 224; fields: the README of the published plugin.
#include "multilevel_crop_and_resize.h"

#include "feature_maps.h"
#include "gpu.h"
#include "region_pooling.h"

#include <stdexcept>
#include <vector>

namespace tenon::plugins {
namespace {

class MultilevelCropAndResize final : public GpuPlugin {
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
        pooling_.run(regions(), inputs[0], {inputs.begin() + 1, inputs.size() - 1}, outputs[0]);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t stream) override {
        if constexpr (kHasKernels) resizeOnGpu(regions(), inputs, outputs[0], stream);
    }

private:
    MultilevelRegions regions() const { return {pooledSize_, imageSize_[1], imageSize_[2]}; }

    int32_t pooledSize_ = 0;
    std::vector<int32_t> imageSize_ = {3, 832, 1344};
    FormulaPooling<MultilevelRegions> pooling_;
};

constexpr StandardPlugin kDefinitions[] = {standardPlugin<MultilevelCropAndResize>(
    "MultilevelCropAndResize_TRT", "1", PluginGeneration::kV2DynamicExt, "from 7.1")};

} // namespace

std::span<StandardPlugin const> multilevelCropAndResizePlugins() { return kDefinitions; }

} // namespace tenon::plugins
