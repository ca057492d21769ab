// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Mish, Mish_TRT: x · tanh(ln(1 + e^x)), elementwise ("Mish: A Self Regularized Non-Monotonic Activation Function",
// arXiv 1908.08681). The names of the YOLOv4 repositories.
#include "layers.h"

namespace tenon::plugins {
namespace {

using nvinfer1::ActivationType;

class Mish final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("input", "[...]").output("output", "[...]"); }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        Value const softplus = activation(inputs[0], ActivationType::kSOFTPLUS, 1, 1);
        return {inputs[0] * activation(softplus, ActivationType::kTANH)};
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Mish>("Mish", "1", PluginGeneration::kV2DynamicExt, ""),
    standardPlugin<Mish>("Mish_TRT", "1", PluginGeneration::kV2DynamicExt, ""),
};

} // namespace

std::span<StandardPlugin const> mishPlugins() { return kDefinitions; }

} // namespace tenon::plugins
