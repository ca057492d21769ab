// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// FlattenConcat_TRT: the elements of a sample of all inputs, concatenated to one axis of [N,C,H,W] (SSD, Liu et al.,
// arXiv 1512.02325: the predictions of all feature maps). `axis` counts the batch: 1 is the channels, which are the
// first axis if the batch is implicit. With ignoreBatch the original fills the first sample only; here all are filled.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::DimensionOperation;
using nvinfer1::IDimensionExpr;

class FlattenConcat final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("axis", axis_);
        visit("ignoreBatch", ignoreBatch_);
    }

    void check() const override {
        if (axis_ < 1 || axis_ > 3)
            throw std::invalid_argument("axis has to be given, 1 to 3, counting the batch; found " +
                                        std::to_string(axis_));
    }

    Signature signature() const override {
        return Signature().repeatedInput("inputs", "[N,?,?...]", Kind::kAny).output("output", "[N,?,?,?]", Kind::kAny);
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        IDimensionExpr const* all = nullptr;
        for (nvinfer1::DimsExprs const& input : inputs) {
            IDimensionExpr const* size = input.d[1];
            for (int32_t i = 2; i < input.nbDims; ++i)
                size = combined(builder, DimensionOperation::kPROD, size, input.d[i]);
            all = all ? combined(builder, DimensionOperation::kSUM, all, size) : size;
        }
        for (int32_t i = 1; i <= 3; ++i) outputs[0].d[i] = i == axis_ ? all : builder.constant(1);
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        std::vector<Value> rows;
        for (Value const& input : inputs) {
            Value const size = product(extents(input, 1, input.rank()));
            rows.push_back(reshape(input, concatenate({extents(input, 0, 1), size}, 0)));
        }
        Value const all = concatenate(rows, 1);
        std::vector<Value> shape{extents(all, 0, 1)};
        for (int32_t i = 1; i <= 3; ++i) shape.push_back(i == axis_ ? extents(all, 1, 2) : in.integers({1}));
        return {reshape(all, concatenate(shape, 0))};
    }

private:
    int32_t axis_ = 0;
    int32_t ignoreBatch_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<FlattenConcat>("FlattenConcat_TRT", "1", PluginGeneration::kV2DynamicExt, "from 5.1")};

} // namespace

std::span<StandardPlugin const> flattenConcatPlugins() { return kDefinitions; }

} // namespace tenon::plugins
