// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ResizeNearest_TRT: rows and columns of an image, repeated or left out: output (i, j) is input (floor(i / scale),
// floor(j / scale)), and there are floor(H · scale) · floor(W · scale) of them.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::DimensionOperation;
using nvinfer1::IDimensionExpr;
using nvinfer1::IExprBuilder;

constexpr float kMostScale = 1 << 16; // its product with any image's extent in units of 2^-24 fits in 64 bits

class ResizeNearest final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override { visit("scale", scale_); }

    void check() const override {
        if (!(scale_ > 0 && scale_ <= kMostScale))
            throw std::invalid_argument("scale has to be given, more than 0 and at most " +
                                        std::to_string(int(kMostScale)) + "; found " + std::to_string(scale_));
    }

    Signature signature() const override {
        return Signature().input("input", "[N,C,H,W]", Kind::kAny).output("output", "[N,C,?,?]", Kind::kAny);
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, IExprBuilder& builder) const override {
        for (int32_t axis : {2, 3}) outputs[0].d[axis] = scaled(*inputs[0].d[axis], builder);
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        nvinfer1::IResizeLayer* const layer = in.network().addResize(inputs[0].tensor());
        Value const resized = in.outputOf(layer, "addResize");
        float const scales[] = {1, 1, scale_, scale_};
        layer->setScales(scales, 4);
        return {resized};
    }

private:
    /// In float if the extent is known, as in the original; else the scale is a multiple of 2^-24.
    IDimensionExpr const* scaled(IDimensionExpr const& extent, IExprBuilder& builder) const {
        if (extent.isConstant()) return builder.constant(int64_t(float(extent.getConstantValue()) * scale_));
        constexpr int64_t kParts = 1 << 24;
        auto const parts = int64_t(double(scale_) * double(kParts));
        auto const* const product = combined(builder, DimensionOperation::kPROD, &extent, builder.constant(parts));
        return combined(builder, DimensionOperation::kFLOOR_DIV, product, builder.constant(kParts));
    }

    float scale_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<ResizeNearest>("ResizeNearest_TRT", "1", PluginGeneration::kV2DynamicExt, "from 6.0")};

} // namespace

std::span<StandardPlugin const> resizeNearestPlugins() { return kDefinitions; }

} // namespace tenon::plugins
