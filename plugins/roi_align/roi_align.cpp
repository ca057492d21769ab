// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ROIAlign_TRT: regions of feature maps, each pooled to the same size, as in ONNX's RoiAlign.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr int32_t kMostSamples = 4096; // along one side of a bin, wider than any image

class RoiAlign final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("coordinate_transformation_mode", halfPixel_);
        visit("mode", mode_);
        visit("output_height", outputHeight_);
        visit("output_width", outputWidth_);
        visit("sampling_ratio", samplingRatio_);
        visit("spatial_scale", spatialScale_);
    }

    void check() const override {
        if (outputHeight_ < 1 || outputWidth_ < 1)
            throw std::invalid_argument("output_height and output_width have to be 1 or more");
        if (samplingRatio_ < 0 || samplingRatio_ > kMostSamples)
            throw std::invalid_argument("sampling_ratio has to be 0 to " + std::to_string(kMostSamples));
        if (!(spatialScale_ > 0)) throw std::invalid_argument("spatial_scale has to be above 0");
        if (mode_ != 0 && mode_ != 1) throw std::invalid_argument("mode has to be 0, maximum, or 1, average");
        if (halfPixel_ != 0 && halfPixel_ != 1)
            throw std::invalid_argument("coordinate_transformation_mode has to be 0 or 1");
    }

    Signature signature() const override {
        return Signature()
            .input("X", "[B,C,H,W]")
            .input("rois", "[R,4]")
            .input("batch_indices", "[R]", Kind::kInt32)
            .output("Y", "[R,C,output_height,output_width]");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        OnnxAttributes attributes;
        attributes.text("coordinate_transformation_mode", halfPixel_ ? "half_pixel" : "output_half_pixel");
        attributes.text("mode", mode_ == 0 ? "max" : "avg");
        attributes.integer("output_height", outputHeight_).integer("output_width", outputWidth_);
        attributes.integer("sampling_ratio", samplingRatio_).real("spatial_scale", spatialScale_);
        Value const pictures = cast(inputs[2], nvinfer1::DataType::kINT64);
        return {onnxNode("RoiAlign", {inputs[0], inputs[1], pictures}, attributes)};
    }

private:
    int32_t halfPixel_ = 1;
    int32_t mode_ = 1;
    int32_t outputHeight_ = 1;
    int32_t outputWidth_ = 1;
    int32_t samplingRatio_ = 0;
    float spatialScale_ = 1;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<RoiAlign>("ROIAlign_TRT", "1", PluginGeneration::kV2DynamicExt, "from 8.5"),
    standardPlugin<RoiAlign>("ROIAlign_TRT", "2", PluginGeneration::kV3, "from 10.1"),
};

} // namespace

std::span<StandardPlugin const> roiAlignPlugins() { return kDefinitions; }

} // namespace tenon::plugins
