// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// LReLU_TRT: y = x if x is positive, else negSlope * x.
#include "layers.h"

namespace tenon::plugins {
namespace {

class LeakyRelu final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override { visit("negSlope", negSlope_); }
    Signature signature() const override { return Signature().input("input", "[...]").output("output", "[...]"); }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {activation(inputs[0], nvinfer1::ActivationType::kLEAKY_RELU, negSlope_)};
    }

private:
    float negSlope_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<LeakyRelu>("LReLU_TRT", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16")};

} // namespace

std::span<StandardPlugin const> leakyReluPlugins() { return kDefinitions; }

} // namespace tenon::plugins
