// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CropAndResize, CropAndResizeDynamic: boxes of each picture, resized to the same size, as TensorFlow's
// tf.image.crop_and_resize with method bilinear and extrapolation value 0. Boxes are y1, x1, y2, x2 as shares of the
// way from the first pixel to the last.
#include "feature_maps.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

// One axis of a box in its map: a crop of one pixel takes the middle.
struct Axis {
    float start, step;

    Axis(float low, float high, int64_t pixels, int32_t crop) {
        auto const way = float(pixels - 1);
        step = crop > 1 ? (high - low) * way / float(crop - 1) : 0;
        start = crop > 1 ? low * way : 0.5F * (low + high) * way;
    }

    float at(int32_t index) const { return start + float(index) * step; }
};

class CropAndResize final : public PluginBase {
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
        Tensor const &maps = inputs[0], &rois = inputs[1];
        float* crop = outputs[0].floats();
        for (int64_t box = 0; box < rois[0] * rois[1]; ++box) {
            float const* const corners = rois.floats() + box * 4;
            Axis const y(corners[0], corners[2], maps[2], cropHeight_);
            Axis const x(corners[1], corners[3], maps[3], cropWidth_);
            for (int64_t channel = 0; channel < maps[1]; ++channel)
                crop = resize(planeOf(maps, box / rois[1], channel), y, x, crop);
        }
    }

private:
    // Returns the end of what it wrote.
    float* resize(Plane const& plane, Axis const& y, Axis const& x, float* crop) const {
        for (int32_t row = 0; row < cropHeight_; ++row) {
            for (int32_t column = 0; column < cropWidth_; ++column)
                *crop++ = sampleInside(plane, y.at(row), x.at(column));
        }
        return crop;
    }

    int32_t cropWidth_ = 0;
    int32_t cropHeight_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<CropAndResize>("CropAndResize", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16"),
    standardPlugin<CropAndResize>("CropAndResizeDynamic", "1", PluginGeneration::kV2DynamicExt, "8.0 to 10.16"),
    standardPlugin<CropAndResize>("CropAndResizeDynamic", "2", PluginGeneration::kV3, "from 10.12"),
};

} // namespace

std::span<StandardPlugin const> cropAndResizePlugins() { return kDefinitions; }

} // namespace tenon::plugins
