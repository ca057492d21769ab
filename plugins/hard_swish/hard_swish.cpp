// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// HardSwish, HARDSWISH_TRT: x · min(max(x + 3, 0), 6) / 6, elementwise ("Searching for MobileNetV3", arXiv 1905.02244).
// The names of the repositories of MobileNetV3 and YOLOv5.
#include "layers.h"

namespace tenon::plugins {
namespace {

class HardSwish final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override { return Signature().input("input", "[...]").output("output", "[...]"); }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {inputs[0] * activation(inputs[0], nvinfer1::ActivationType::kHARD_SIGMOID, 1 / 6.0F, 0.5F)};
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<HardSwish>("HardSwish", "1", PluginGeneration::kV2DynamicExt, ""),
    standardPlugin<HardSwish>("HARDSWISH_TRT", "1.0", PluginGeneration::kV2DynamicExt, ""),
};

} // namespace

std::span<StandardPlugin const> hardSwishPlugins() { return kDefinitions; }

} // namespace tenon::plugins
