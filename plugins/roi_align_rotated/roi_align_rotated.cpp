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

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace tenon::plugins {
namespace {

constexpr float kMostSamples = 1 << 16; // along one side of a bin: more than any picture is wide
constexpr size_t kRoomForSamples = 512;

// In pixels of the map.
struct Region {
    float x, y, width, height, cosine, sine;
    int64_t rows, columns; // samples in each bin
};

// Of a row of samples: `first` to `end`, without the latter.
struct Columns {
    int64_t first, end;

    // Leaves those whose place on an axis of the map, start + column * step, is no further than `margin` outside of it.
    void narrow(double start, double step, double margin, int64_t extent) {
        double low = -margin - start, high = double(extent) + margin - start;
        if (step < 0) std::swap(low, high);
        if (std::abs(step) * double(end) < margin) { // all in one place, nearly
            if (std::min(low, high) > margin || std::max(low, high) < -margin) end = first;
            return;
        }
        first = std::max(first, int64_t(std::clamp(std::floor(low / step), 0.0, double(end))));
        end = std::min(end, int64_t(std::clamp(std::ceil(high / step) + 1, 0.0, double(end))));
    }
};

struct Taken {
    BilinearSample sample;
    int64_t bin;
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
        int64_t const regionSize = outputs[0].count(1, 4);
        parallelFor(inputs[1][0], rowsPerThread(regionSize * 16), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i) pool(inputs, i, outputs[0].floats() + i * regionSize);
        });
    }

protected:
    explicit RoiAlignRotated(float unitOfAngles) : unitOfAngles_(unitOfAngles) {}

    int32_t height_ = 0, width_ = 0, samplingRatio_ = 0, aligned_ = 1, clockwise_ = 0;
    float spatialScale_ = 1;

private:
    Region regionOf(float const* roi, int64_t index) const {
        float const shift = aligned_ ? 0.5F : 0.0F, least = aligned_ ? -INFINITY : 1.0F;
        float const angle = roi[5] * unitOfAngles_ * (clockwise_ ? -1.0F : 1.0F);
        float const width = std::max(roi[3] * spatialScale_, least), height = std::max(roi[4] * spatialScale_, least);
        float const x = roi[1] * spatialScale_ - shift, y = roi[2] * spatialScale_ - shift;
        float const rows = samplesOf(height, height_), columns = samplesOf(width, width_);
        if (!std::isfinite(x + y + width + height + angle) || !(rows <= kMostSamples && columns <= kMostSamples))
            throw std::invalid_argument("rois[" + std::to_string(index) + "] is " + std::to_string(roi[3]) + " x " +
                                        std::to_string(roi[4]) + " around " + std::to_string(roi[1]) + ", " +
                                        std::to_string(roi[2]) + ", which is no region of a picture");
        return {x, y, width, height, std::cos(angle), std::sin(angle), int64_t(rows), int64_t(columns)};
    }

    float samplesOf(float size, int32_t bins) const {
        return samplingRatio_ > 0 ? float(samplingRatio_) : std::max(std::ceil(size / float(bins)), 0.0F);
    }

    static int64_t pictureOf(float number, int64_t region, int64_t pictures) {
        if (number >= 0 && number < float(pictures)) return int64_t(number);
        throw std::invalid_argument("rois[" + std::to_string(region) + "] is in picture " + std::to_string(number) +
                                    "; the input has " + std::to_string(pictures) + " pictures");
    }

    // One region of all channels, pooled [C,h,w]. Samples are found for as many at once as there is room for, bin by
    // bin; of a region much larger than the map, only those near the map.
    void pool(Tensors inputs, int64_t index, float* pooled) const {
        Tensor const& map = inputs[0];
        float const* const roi = inputs[1].floats() + index * 6;
        Region const region = regionOf(roi, index);
        float const* const picture = map.floats() + pictureOf(roi[0], index, map[0]) * map.count(1, 4);
        int64_t const bins = int64_t(height_) * width_, samples = region.rows * region.columns;
        std::fill_n(pooled, map[1] * bins, 0.0F);
        std::array<Taken, kRoomForSamples> taken;
        size_t count = 0;
        auto const addAll = [&] {
            for (int64_t channel = 0; channel < map[1]; ++channel)
                add({taken.data(), count}, picture + channel * map[2] * map[3], pooled + channel * bins);
            count = 0;
        };
        for (int64_t row = 0; row < bins * region.rows; ++row) {
            int64_t const bin = row / region.rows;
            Columns const columns = columnsNear(region, bin, row % region.rows, map);
            for (int64_t column = columns.first; column < columns.end; ++column) {
                if (sampleOf(region, bin, row % region.rows, column, map, taken[count])) ++count;
                if (count == taken.size()) addAll();
            }
        }
        addAll();
        for (int64_t i = 0; i < map[1] * bins; ++i) pooled[i] /= std::max(float(samples), 1.0F);
    }

    // Samples of one bin stand together.
    static void add(std::span<Taken const> samples, float const* plane, float* pooled) {
        for (size_t i = 0; i < samples.size();) {
            int64_t const bin = samples[i].bin;
            float sum = 0;
            for (; i < samples.size() && samples[i].bin == bin; ++i) sum += samples[i].sample.of(plane);
            pooled[bin] += sum;
        }
    }

    // From the middle of a region, along one of its sides.
    static float across(float size, int32_t bins, int64_t which, int64_t samples, int64_t i) {
        float const binSize = size / float(bins);
        return (float(which) + (float(i) + 0.5F) / float(samples)) * binSize - size / 2;
    }

    // The columns of a row of samples that may lie in the map, and some more for what floats round.
    Columns columnsNear(Region const& region, int64_t bin, int64_t row, Tensor const& map) const {
        double const y = across(region.height, height_, bin / width_, region.rows, row);
        double const x = across(region.width, width_, bin % width_, region.columns, 0);
        double const step = double(region.width) / width_ / double(region.columns);
        double const largest = std::abs(double(region.x)) + std::abs(double(region.y)) +
                               std::abs(double(region.height)) + std::abs(double(region.width));
        double const margin = 2 + largest * 1e-5;
        Columns columns{0, region.columns};
        columns.narrow(region.y + y * region.cosine - x * region.sine, -step * region.sine, margin, map[2]);
        columns.narrow(region.x + x * region.cosine + y * region.sine, step * region.cosine, margin, map[3]);
        return columns;
    }

    // False where it lies outside of the map.
    bool sampleOf(Region const& region, int64_t bin, int64_t row, int64_t column, Tensor const& map,
                  Taken& taken) const {
        float const y = across(region.height, height_, bin / width_, region.rows, row);
        float const x = across(region.width, width_, bin % width_, region.columns, column);
        Neighbours const down = neighboursOf(region.y + y * region.cosine - x * region.sine, map[2]);
        Neighbours const right = neighboursOf(region.x + x * region.cosine + y * region.sine, map[3]);
        if (down.outside || right.outside) return false;
        taken = {BilinearSample(down, right, map[3]), bin};
        return true;
    }

    float unitOfAngles_;
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

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<DetectronRoiAlignRotated>("RoIAlignRotated", "1", PluginGeneration::kV2DynamicExt),
    definePlugin<MmcvRoiAlignRotated>("MMCVRoIAlignRotated", "1", PluginGeneration::kV2DynamicExt),
};

} // namespace

std::span<PluginDefinition const> roiAlignRotatedPlugins() { return kDefinitions; }

} // namespace tenon::plugins
