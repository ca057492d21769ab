// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// TopkLastDim: the k largest or smallest elements along one axis, the best first, and their indices. Of equal elements
// the one with the lower index comes first; NaN is larger than every number.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::DataType;
using nvinfer1::TopKOperation;

class TopkLastDim final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("type_id", type_);
        visit("k", k_);
        visit("is_largest", isLargest_);
        visit("axis", axis_);
    }

    void check() const override {
        auto const type = static_cast<DataType>(type_);
        if (type != DataType::kFLOAT && type != DataType::kHALF && type != DataType::kINT32 && type != DataType::kBF16)
            throw std::invalid_argument("type_id has to be given, 0 (FLOAT), 1 (HALF), 3 (INT32) or 7 (BF16); found " +
                                        std::to_string(type_));
        if (k_ < 1) throw std::invalid_argument("k has to be given, 1 or more; found " + std::to_string(k_));
        if (isLargest_ != 0 && isLargest_ != 1)
            throw std::invalid_argument("is_largest has to be given, 0 or 1; found " + std::to_string(isLargest_));
    }

    Signature signature() const override {
        return Signature()
            .input("input", "[...]", Kind::kAny)
            .output("values", "[?...]", Kind::kAny)
            .output("indices", "[?...]", Kind::kInt32);
    }

    void checkInputs(KnownShapes inputs) const override {
        int32_t const rank = inputs[0].nbDims;
        if (axis_ < -rank || axis_ >= rank)
            throw std::invalid_argument("axis is " + std::to_string(axis_) + "; the input has " + std::to_string(rank) +
                                        " axes");
        int64_t const extent = inputs[0].d[axisOf(rank)];
        if (extent >= 0 && extent < k_)
            throw std::invalid_argument("k is " + std::to_string(k_) + "; axis " + std::to_string(axis_) + " has " +
                                        std::to_string(extent) + " elements");
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        for (size_t i : {0, 1}) {
            std::copy_n(inputs[0].d, inputs[0].nbDims, outputs[i].d);
            outputs[i].d[axisOf(inputs[0].nbDims)] = builder.constant(k_);
        }
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        auto const operation = isLargest_ != 0 ? TopKOperation::kMAX : TopKOperation::kMIN;
        auto const axes = 1U << axisOf(inputs[0].rank());
        auto* const layer = in.network().addTopK(inputs[0].tensor(), operation, k_, axes);
        return {in.outputOf(layer, "addTopK"), in.outputOf(layer, "addTopK", 1)};
    }

private:
    int32_t axisOf(int32_t rank) const { return axis_ < 0 ? axis_ + rank : axis_; }

    int32_t type_ = 0;
    int32_t k_ = 0;
    int32_t isLargest_ = 0;
    int32_t axis_ = -1;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<TopkLastDim>("TopkLastDim", "1", PluginGeneration::kV3, "from 11.0")};

} // namespace

std::span<StandardPlugin const> topkLastDimPlugins() { return kDefinitions; }

} // namespace tenon::plugins
