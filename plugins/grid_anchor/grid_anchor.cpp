// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// GridAnchor_TRT, GridAnchorRect_TRT: the default boxes of all feature maps of a network (Liu et al., "SSD: Single Shot
// MultiBox Detector", section 2.2), as in the SSD of TensorFlow's Object Detection API. Layer k of m has the scale s(k)
// = minSize + (maxSize - minSize) * k / (m - 1), with s(m) = 1. It has boxes of that scale in each aspect ratio, then a
// square of sqrt(s(k) * s(k + 1)). Layer 0 has three boxes: in the first ratio of scale 0.1, in the second and third of
// s(0).
#include "anchors.h"
#include "gpu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr float kFirstScale = 0.1F;
constexpr size_t kBoxesOfTheFirst = 3;

enum class Maps { kSquare, kRectangular };

template <Maps kMaps> class GridAnchor final : public GpuPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("minSize", minSize_);
        visit("maxSize", maxSize_);
        visit("aspectRatios", aspectRatios_);
        visit("featureMapShapes", shapes_);
        visit("variance", variance_);
        visit("numLayers", layers_);
    }

    void check() const override {
        checkPositive("minSize", {minSize_});
        checkPositive("maxSize", {maxSize_});
        if (aspectRatios_.empty()) throw std::invalid_argument("aspectRatios has to be given");
        checkPositive("aspectRatios", aspectRatios_);
        checkVariance(variance_);
        if (layers_ < 1) throw std::invalid_argument("numLayers has to be 1 or more; found " + std::to_string(layers_));
        if (shapes_.size() != size_t(layers_) * kExtents)
            throw std::invalid_argument("featureMapShapes has " + std::to_string(shapes_.size()) +
                                        " numbers; expected " + std::to_string(size_t(layers_) * kExtents) + ", " +
                                        std::to_string(kExtents) + " for each of numLayers");
        for (int32_t layer = 0; layer < layers_; ++layer) checkMap(layer);
    }

    Signature signature() const override {
        Signature all;
        for (int32_t layer = 0; layer < layers_; ++layer)
            all.output("boxes_" + std::to_string(layer), "[1,2,?,1]", Kind::kFloat);
        return all;
    }

    void outputShapes(Shapes, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        for (int32_t layer = 0; layer < layers_; ++layer)
            outputs[layer].d[2] = builder.constant(static_cast<int32_t>(numbersOf(layer)));
    }

    void run(Tensors, Tensors outputs) override {
        for (int32_t layer = 0; layer < layers_; ++layer)
            anchors(layer).write(variance_, outputs[size_t(layer)].floats());
    }

    void runOnGpu(Tensors, Tensors outputs, void*, cudaStream_t stream) override {
        if constexpr (kHasKernels) {
            for (int32_t layer = 0; layer < layers_; ++layer)
                anchors(layer).writeOnGpu(variance_, 1, outputs[size_t(layer)].floats(), stream);
        }
    }

private:
    static constexpr size_t kExtents = kMaps == Maps::kSquare ? 1 : 2; // of a feature map in featureMapShapes

    int64_t rows(int32_t layer) const { return shapes_[size_t(layer) * kExtents]; }
    int64_t columns(int32_t layer) const { return shapes_[size_t(layer) * kExtents + kExtents - 1]; }

    size_t boxesOfAPlace(int32_t layer) const {
        size_t const ratios = aspectRatios_.size();
        return layer == 0 ? std::min(ratios, kBoxesOfTheFirst) : ratios + 1;
    }

    // The extents have been checked.
    int64_t numbersOf(int32_t layer) const { return rows(layer) * columns(layer) * int64_t(boxesOfAPlace(layer)) * 4; }

    void checkMap(int32_t layer) const {
        std::string const where = "featureMapShapes, layer " + std::to_string(layer) + ", is " +
                                  std::to_string(rows(layer)) + " x " + std::to_string(columns(layer));
        if (rows(layer) < 1 || columns(layer) < 1) throw std::invalid_argument(where + "; expected 1 or more");
        int64_t const most = std::numeric_limits<int32_t>::max() / 4 / int64_t(boxesOfAPlace(layer));
        if (rows(layer) > most / columns(layer))
            throw std::invalid_argument(where + "; expected at most " + std::to_string(most) + " positions");
    }

    float scale(int32_t layer) const {
        if (layer == layers_) return 1;
        if (layer == 0) return minSize_;
        return minSize_ + (maxSize_ - minSize_) * float(layer) / float(layers_ - 1);
    }

    Anchors anchors(int32_t layer) const {
        auto const down = 1 / float(rows(layer)), right = 1 / float(columns(layer));
        return {rows(layer), columns(layer), down, right, 0.5F, sizes(layer)};
    }

    std::vector<Anchors::Size> sizes(int32_t layer) const {
        std::vector<Anchors::Size> all;
        auto const add = [&](float size, float ratio) {
            all.push_back({size * std::sqrt(ratio), size / std::sqrt(ratio)});
        };
        size_t const ratios = layer == 0 ? boxesOfAPlace(0) : aspectRatios_.size();
        for (size_t i = 0; i < ratios; ++i) add(layer + i == 0 ? kFirstScale : scale(layer), aspectRatios_[i]);
        if (layer > 0) add(std::sqrt(scale(layer) * scale(layer + 1)), 1);
        return all;
    }

    float minSize_ = 0.2F;
    float maxSize_ = 0.95F;
    std::vector<float> aspectRatios_;
    std::vector<int32_t> shapes_;
    std::vector<float> variance_{0.1F, 0.1F, 0.2F, 0.2F};
    int32_t layers_ = 6;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<GridAnchor<Maps::kSquare>>("GridAnchor_TRT", "1", PluginGeneration::kV2DynamicExt, "from 5.1"),
    standardPlugin<GridAnchor<Maps::kRectangular>>("GridAnchorRect_TRT", "1", PluginGeneration::kV2DynamicExt,
                                                   "from 7.2"),
};

} // namespace

std::span<StandardPlugin const> gridAnchorPlugins() { return kDefinitions; }

} // namespace tenon::plugins
