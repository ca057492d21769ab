// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// TopKDynamic: the K largest or smallest elements along one axis, or all if there are fewer, and their indices; K is a
// shape input. As there is no published definition, it is TopK of ONNX, except for the type of the indices.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class TopKDynamic final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("axis", axis_);
        visit("largest", isLargest_);
        visit("sorted", isSorted_);
    }

    void check() const override {
        checkSwitch("largest", isLargest_);
        checkSwitch("sorted", isSorted_);
    }

    Signature signature() const override {
        return Signature()
            .input("X", "[...]", Kind::kAny)
            .shapeInput("K")
            .output("values", "[?...]", Kind::kAny)
            .output("indices", "[?...]", Kind::kInt32);
    }

    void checkInputs(KnownShapes inputs) const override {
        int32_t const rank = inputs[0].nbDims;
        if (axis_ < -rank || axis_ >= rank)
            throw std::invalid_argument("axis is " + std::to_string(axis_) + "; X has " + std::to_string(rank) +
                                        " axes");
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        if (inputs[1].nbDims != 1)
            throw std::invalid_argument("K has " + std::to_string(inputs[1].nbDims) + " elements; expected 1");
        nvinfer1::IDimensionExpr const& k = *inputs[1].d[0];
        if (k.isConstant() && k.getConstantValue() < 0)
            throw std::invalid_argument("K is " + std::to_string(k.getConstantValue()) + "; expected 0 or more");
        int32_t const axis = axis_ < 0 ? axis_ + inputs[0].nbDims : axis_;
        auto const* const kept = combined(builder, nvinfer1::DimensionOperation::kMIN, &k, inputs[0].d[axis]);
        for (size_t i : {0, 1}) {
            std::copy_n(inputs[0].d, inputs[0].nbDims, outputs[i].d);
            outputs[i].d[axis] = kept;
        }
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        int32_t const axis = axis_ < 0 ? axis_ + inputs[0].rank() : axis_;
        Value const wanted = reshape(cast(inputs[1], nvinfer1::DataType::kINT64), std::vector<int64_t>{1});
        Value const k = min(wanted, extents(inputs[0], axis, axis + 1)); // TopK refuses more
        auto const attributes =
            OnnxAttributes().integer("axis", axis_).integer("largest", isLargest_).integer("sorted", isSorted_);
        auto const made = addOnnxNode(in.network(), "TopK", {&inputs[0].tensor(), &k.tensor()}, attributes, 2);
        return {Value(in, *made[0]), cast(Value(in, *made[1]), nvinfer1::DataType::kINT32)};
    }

private:
    static void checkSwitch(char const* field, int32_t value) {
        if (value != 0 && value != 1)
            throw std::invalid_argument(field + (" has to be 0 or 1; found " + std::to_string(value)));
    }

    int32_t axis_ = -1;
    int32_t isLargest_ = 1;
    int32_t isSorted_ = 1; // they always are
};

constexpr StandardPlugin kDefinitions[] = {standardPlugin<TopKDynamic>("TopKDynamic", "1", PluginGeneration::kV3, "")};

} // namespace

std::span<StandardPlugin const> topkDynamicPlugins() { return kDefinitions; }

} // namespace tenon::plugins
