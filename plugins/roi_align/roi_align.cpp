// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ROIAlign_TRT: regions of feature maps, each pooled to the same size, as ONNX's RoiAlign.
#include "feature_maps.h"
#include "plugin.h"
#include "region_pooling.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>
#include <vector>

namespace tenon::plugins {
namespace {

// So many samples along one axis of a bin are more than any picture is wide.
constexpr float kMostSamples = 1 << 16;

// One axis of a region: where its bins start, how large they are, how many samples are taken in each.
struct Axis {
    float start, binSize;
    int64_t samples;

    float sampleAt(int64_t bin, int64_t sample) const {
        return start + float(bin) * binSize + (float(sample) + 0.5F) * binSize / float(samples);
    }
};

enum class Pooling : int32_t { kMax = 0, kAverage = 1 };

class RoiAlign final : public PluginBase {
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
        if (samplingRatio_ < 0) throw std::invalid_argument("sampling_ratio has to be 0 or more");
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

    // X [B,C,H,W], rois [R,4], batch_indices [R] → Y [R,C,h,w]
    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& x = inputs[0];
        setRegions(inputs);
        pooling_.run(x, outputs[0], [&](size_t index, int64_t bin, int64_t sample) {
            auto const& [vertical, horizontal] = regions_[index];
            float const down = vertical.sampleAt(bin / outputWidth_, sample / horizontal.samples);
            float const right = horizontal.sampleAt(bin % outputWidth_, sample % horizontal.samples);
            return BilinearSample(neighboursOf(down, x[2]), neighboursOf(right, x[3]), x[3]);
        });
    }

private:
    struct Region {
        Axis vertical, horizontal;
    };

    void setRegions(Tensors inputs) {
        bool const isMean = Pooling(mode_) == Pooling::kAverage;
        pooling_.clear(isMean ? RegionPooling::Mode::kMean : RegionPooling::Mode::kLargest,
                       int64_t(outputHeight_) * outputWidth_);
        regions_.clear();
        for (int64_t i = 0; i < inputs[1][0]; ++i) {
            float const* const corners = inputs[1].floats() + i * 4;
            Axis const horizontal = axisOf(corners[0], corners[2], outputWidth_, i);
            Axis const vertical = axisOf(corners[1], corners[3], outputHeight_, i);
            regions_.push_back({vertical, horizontal});
            pooling_.add(pictureOf(inputs[2], i, inputs[0][0]), vertical.samples * horizontal.samples);
        }
    }

    static int64_t pictureOf(Tensor const& indices, int64_t region, int64_t pictures) {
        int32_t const picture = indices.ints()[region];
        if (picture >= 0 && picture < pictures) return picture;
        throw std::invalid_argument("batch_indices[" + std::to_string(region) + "] is " + std::to_string(picture) +
                                    "; X has " + std::to_string(pictures) + " pictures");
    }

    Axis axisOf(float first, float last, int32_t bins, int64_t region) const {
        float const start = first * spatialScale_ - (halfPixel_ ? 0.5F : 0.0F);
        float size = (last - first) * spatialScale_;
        if (!halfPixel_) size = std::max(size, 1.0F);
        float const binSize = size / float(bins);
        float const samples = samplingRatio_ > 0 ? float(samplingRatio_) : std::ceil(binSize);
        if (!std::isfinite(start) || !(samples <= kMostSamples))
            throw std::invalid_argument("rois[" + std::to_string(region) + "] goes from " + std::to_string(first) +
                                        " to " + std::to_string(last) + ", which is no region of a picture");
        return {start, binSize, std::max<int64_t>(int64_t(samples), 0)};
    }

    int32_t halfPixel_ = 1;
    int32_t mode_ = int32_t(Pooling::kAverage);
    int32_t outputHeight_ = 1;
    int32_t outputWidth_ = 1;
    int32_t samplingRatio_ = 0;
    float spatialScale_ = 1;

    std::vector<Region> regions_;
    RegionPooling pooling_;
};

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<RoiAlign>("ROIAlign_TRT", "1", PluginGeneration::kV2DynamicExt),
    definePlugin<RoiAlign>("ROIAlign_TRT", "2", PluginGeneration::kV3),
};

} // namespace

std::span<PluginDefinition const> roiAlignPlugins() { return kDefinitions; }

} // namespace tenon::plugins
