// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// SplitGeLU: of the halves l and r of the last axis, y = l r (erf(r / 1.4140625) + 1) / 2. The divisor is the square
// root of 2 in half precision.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class SplitGelu final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("input", "[B,S,C]").output("output", "[B,S,?]"); }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const channels = inputs[0].d[2];
        if (channels < 0 || channels % 2 != 0)
            throw std::invalid_argument(
                "the input's axis 2 has to be known when the engine is built, and even; found " +
                std::to_string(channels));
    }

    void outputShapes(Shapes inputs, nvinfer1::DimsExprs* outputs, nvinfer1::IExprBuilder& builder) const override {
        outputs[0].d[2] = builder.constant(inputs[0].d[2]->getConstantValue() / 2);
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        int64_t const half = inputs[0].extent(2) / 2;
        Value const left = part(inputs[0], 2, 0, half), right = part(inputs[0], 2, half, half);
        return {left * (right * (unary(right / 1.4140625F, nvinfer1::UnaryOperation::kERF) + 1) * 0.5F)};
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SplitGelu>("SplitGeLU", "1", PluginGeneration::kV2DynamicExt, "8.5")};

} // namespace

std::span<StandardPlugin const> splitGeluPlugins() { return kDefinitions; }

} // namespace tenon::plugins
