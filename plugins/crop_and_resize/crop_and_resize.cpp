// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CropAndResize, CropAndResizeDynamic: boxes of each image, resized to the same size.
#include "crop_and_resize.h"

#include "gpu.h"
#include "region_pooling.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class CropAndResize final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("crop_width", cropWidth_);
        visit("crop_height", cropHeight_);
    }

    void check() const override {
        if (cropWidth_ < 1 || cropHeight_ < 1)
            throw std::invalid_argument("crop_width and crop_height have to be given, 1 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("feature_maps", "[N,C,H,W]")
            .input("rois", "[N,B,4,1]|[N,B,4]")
            .output("pfmap", "[N,B,C,crop_height,crop_width]");
    }

    void run(Tensors inputs, Tensors outputs) override {
        pooling_.run(regions(), inputs[1], {inputs.begin(), 1}, outputs[0]);
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t stream) override {
        if constexpr (kHasKernels) cropOnGpu(regions(), inputs, outputs[0], stream);
    }

private:
    CropRegions regions() const { return {cropHeight_, cropWidth_}; }

    int32_t cropWidth_ = 0;
    int32_t cropHeight_ = 0;
    FormulaPooling<CropRegions> pooling_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<CropAndResize>("CropAndResize", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16"),
    standardPlugin<CropAndResize>("CropAndResizeDynamic", "1", PluginGeneration::kV2DynamicExt, "8.0 to 10.16"),
    standardPlugin<CropAndResize>("CropAndResizeDynamic", "2", PluginGeneration::kV3, "from 10.12"),
};

} // namespace

std::span<StandardPlugin const> cropAndResizePlugins() { return kDefinitions; }

} // namespace tenon::plugins
