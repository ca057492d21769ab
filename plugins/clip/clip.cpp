// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Clip_TRT: values below clipMin become clipMin, values above clipMax become clipMax.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class Clip final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("clipMin", clipMin_);
        visit("clipMax", clipMax_);
    }

    void check() const override {
        if (!(clipMin_ <= clipMax_)) throw std::invalid_argument("clipMin has to be at most clipMax");
    }

    Signature signature() const override { return Signature().input("input", "[...]").output("output", "[...]"); }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {activation(inputs[0], nvinfer1::ActivationType::kCLIP, clipMin_, clipMax_)};
    }

private:
    float clipMin_ = 0;
    float clipMax_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Clip>("Clip_TRT", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16")};

} // namespace

std::span<StandardPlugin const> clipPlugins() { return kDefinitions; }

} // namespace tenon::plugins
