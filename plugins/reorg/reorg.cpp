// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Reorg_TRT: the reorg layer of Darknet (YOLO version 2): pixels of stride x stride become channels. As there, the
// memory of the input [N,C,H,W] is read as that of fewer and larger channels, [N,C/stride²,H·stride,W·stride]; the
// pixels of that with the same position in their squares become the channels of [N,C,H,W], which is the output's
// memory.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr int32_t kMostStride = 46340; // its square fits in 32 bits

class Reorg final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override { visit("stride", stride_); }

    void check() const override {
        if (stride_ < 1 || stride_ > kMostStride)
            throw std::invalid_argument("stride has to be given, 1 to " + std::to_string(kMostStride) + "; found " +
                                        std::to_string(stride_));
    }

    Signature signature() const override {
        return Signature().input("input", "[N,C,H,W]", Kind::kAny).output("output", "[N,?,?,?]", Kind::kAny);
    }

    void checkInputs(KnownShapes inputs) const override {
        expectMultiple(inputs[0].d[1], square(), "channels", "the square of stride");
        expectMultiple(inputs[0].d[2], stride_, "rows", "stride");
        expectMultiple(inputs[0].d[3], stride_, "columns", "stride");
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        using nvinfer1::DimensionOperation;
        outputs[0].d[1] = combined(builder, DimensionOperation::kPROD, inputs[0].d[1], builder.constant(square()));
        for (int32_t axis : {2, 3})
            outputs[0].d[axis] =
                combined(builder, DimensionOperation::kFLOOR_DIV, inputs[0].d[axis], builder.constant(stride_));
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        Value const shape = shapeOf(x), stride = in.integers({stride_});
        Value const channels = part(shape, 0, 1, 1) / in.integers({square()});
        Value const squares = concatenate(
            {part(shape, 0, 0, 1), channels, part(shape, 0, 2, 1), stride, part(shape, 0, 3, 1), stride}, 0);
        Value const output = shape * in.integers({1, square(), 1, 1}) / in.integers({1, 1, stride_, stride_});
        return {reshape(transpose(reshape(x, squares), {0, 3, 5, 1, 2, 4}), output)};
    }

private:
    int32_t square() const { return stride_ * stride_; }

    static void expectMultiple(int64_t extent, int32_t of, char const* what, char const* field) {
        if (extent > 0 && extent % of != 0)
            throw std::invalid_argument("the input has " + std::to_string(extent) + ' ' + what +
                                        "; expected a multiple of " + field + ", " + std::to_string(of));
    }

    int32_t stride_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Reorg>("Reorg_TRT", "1", PluginGeneration::kV2DynamicExt, "from 5.1"),
    standardPlugin<Reorg>("Reorg_TRT", "2", PluginGeneration::kV2DynamicExt, "from 10.0"),
};

} // namespace

std::span<StandardPlugin const> reorgPlugins() { return kDefinitions; }

} // namespace tenon::plugins
