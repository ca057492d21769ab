// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ROIAlign_TRT: regions of feature maps, each pooled to the same size, as ONNX's RoiAlign.
#include "plugin.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

// So many samples along one axis of a bin are more than any picture is wide.
constexpr float kMostSamples = 1 << 16;

// One axis of a region: where its bins start, how large they are, how many samples are taken in each.
struct Axis {
    float start, binSize;
    int32_t samples;

    float sampleAt(int64_t bin, int32_t sample) const {
        return start + float(bin) * binSize + (float(sample) + 0.5F) * binSize / float(samples);
    }
};

// The neighbours of a place on an axis of `extent` pixels, and the weight of the second. No place of an axis without
// pixels has any.
struct Neighbours {
    int64_t low, high;
    float weight;
    bool outside;
};

Neighbours neighboursOf(float place, int64_t extent) {
    if (extent == 0 || !(place >= -1 && place <= float(extent))) return {0, 0, 0, true};
    place = std::max(place, 0.0F);
    auto const low = int64_t(place);
    if (low >= extent - 1) return {extent - 1, extent - 1, 0, false};
    return {low, low + 1, place - float(low), false};
}

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
        int64_t const bins = outputs[0].count(1, 4);
        parallelFor(inputs[1][0], rowsPerThread(bins * 16), [&](int64_t begin, int64_t end) {
            for (int64_t region = begin; region < end; ++region)
                poolRegion(inputs, region, outputs[0].floats() + region * bins);
        });
    }

private:
    // y [C,h,w]
    void poolRegion(Tensors inputs, int64_t region, float* y) const {
        Tensor const& x = inputs[0];
        int64_t const channels = x[1], plane = x[2] * x[3], bins = int64_t(outputHeight_) * outputWidth_;
        float const* const corners = inputs[1].floats() + region * 4;
        Axis const horizontal = axisOf(corners[0], corners[2], outputWidth_, region);
        Axis const vertical = axisOf(corners[1], corners[3], outputHeight_, region);
        float const* map = x.floats() + pictureOf(inputs[2], region, x[0]) * channels * plane;
        for (int64_t channel = 0; channel < channels; ++channel, map += plane, y += bins)
            pool({{4, {x[0], channels, x[2], x[3]}}, const_cast<float*>(map), x.type}, horizontal, vertical, y);
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
        return {start, binSize, std::max(int32_t(samples), 0)};
    }

    // One channel of one region; `map` starts at the channel.
    void pool(Tensor const& map, Axis const& horizontal, Axis const& vertical, float* pooled) const {
        for (int64_t row = 0; row < outputHeight_; ++row) {
            for (int64_t column = 0; column < outputWidth_; ++column)
                *pooled++ = binValue(map, horizontal, vertical, row, column);
        }
    }

    float binValue(Tensor const& map, Axis const& horizontal, Axis const& vertical, int64_t row, int64_t column) const {
        bool const isAverage = Pooling(mode_) == Pooling::kAverage;
        float sum = 0, most = 0;
        for (int32_t i = 0; i < vertical.samples; ++i) {
            Neighbours const y = neighboursOf(vertical.sampleAt(row, i), map[2]);
            for (int32_t j = 0; j < horizontal.samples; ++j) {
                Neighbours const x = neighboursOf(horizontal.sampleAt(column, j), map[3]);
                float const value = sampleOf(map, x, y, isAverage);
                sum += value;
                most = i + j == 0 ? value : std::max(most, value);
            }
        }
        if (!isAverage) return most;
        return sum / std::max(float(vertical.samples) * float(horizontal.samples), 1.0F);
    }

    // The four neighbours, weighted: their sum, or the largest of them.
    static float sampleOf(Tensor const& map, Neighbours const& x, Neighbours const& y, bool isAverage) {
        if (x.outside || y.outside) return 0;
        float const* const low = map.floats() + y.low * map[3];
        float const* const high = map.floats() + y.high * map[3];
        float const parts[4] = {(1 - y.weight) * (1 - x.weight) * low[x.low], (1 - y.weight) * x.weight * low[x.high],
                                y.weight * (1 - x.weight) * high[x.low], y.weight * x.weight * high[x.high]};
        if (isAverage) return parts[0] + parts[1] + parts[2] + parts[3];
        return *std::max_element(parts, parts + 4);
    }

    int32_t halfPixel_ = 1;
    int32_t mode_ = int32_t(Pooling::kAverage);
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
