// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Clip_TRT: what is below clipMin becomes clipMin, what is above clipMax becomes clipMax.
#include "plugin.h"

#include <algorithm>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class Clip final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("clipMin", clipMin_);
        visit("clipMax", clipMax_);
    }

    void check() const override {
        if (!(clipMin_ <= clipMax_)) throw std::invalid_argument("clipMin has to be at most clipMax");
    }

    Signature signature() const override { return Signature().input("input", "[...]").output("output", "[...]"); }

    void run(Tensors inputs, Tensors outputs) override {
        float const* const x = inputs[0].floats();
        parallelFor(inputs[0].count(), rowsPerThread(1), [&](int64_t begin, int64_t end) {
            std::transform(x + begin, x + end, outputs[0].floats() + begin,
                           [least = clipMin_, most = clipMax_](float value) { return std::clamp(value, least, most); });
        });
    }

private:
    float clipMin_ = 0;
    float clipMax_ = 0;
};

constexpr PluginDefinition kDefinitions[] = {definePlugin<Clip>("Clip_TRT", "1", PluginGeneration::kV2DynamicExt)};

} // namespace

std::span<PluginDefinition const> clipPlugins() { return kDefinitions; }

} // namespace tenon::plugins
