// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CoordConvAC: appends two channels to an image: y and x, from -1 at the first row and column to 1 at the last ("An
// Intriguing Failing of Convolutional Neural Networks and the CoordConv Solution", arXiv 1807.03247): y = -1 + 2 · row
// / (H - 1), x = -1 + 2 · column / (W - 1). A single row or column has -1.
#include "layers.h"

namespace tenon::plugins {
namespace {

using nvinfer1::DataType;

/// Coordinates along an axis, as [1,1,…,n,…,1] of the image's rank.
Value coordinates(Layers& in, Value const& picture, int32_t axis) {
    Value const count = extents(picture, axis, axis + 1);
    Value const steps = cast(max(count - in.integers({1}), in.integers({1})), DataType::kFLOAT);
    Value const along = cast(ramp(count), DataType::kFLOAT) * 2.0F / steps - 1.0F;
    std::vector<Value> shape(4, in.integers({1}));
    shape[size_t(axis)] = count;
    return cast(reshape(along, concatenate(shape, 0)), picture.type());
}

class CoordConvAc final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature().input("input", "[N,C,H,W]").output("output", "[N,?,H,W]");
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        outputs[0].d[1] = combined(builder, nvinfer1::DimensionOperation::kSUM, inputs[0].d[1], builder.constant(2));
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        Value const plane = concatenate({extents(x, 0, 1), in.integers({1}), extents(x, 2, 4)}, 0);
        Value const rows = broadcastTo(coordinates(in, x, 2), plane),
                    columns = broadcastTo(coordinates(in, x, 3), plane);
        return {concatenate({x, rows, columns}, 1)};
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<CoordConvAc>("CoordConvAC", "1", PluginGeneration::kV2DynamicExt, "7.1 to 10.16")};

} // namespace

std::span<StandardPlugin const> coordConvAcPlugins() { return kDefinitions; }

} // namespace tenon::plugins
