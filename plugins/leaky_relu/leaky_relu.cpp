// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// LReLU_TRT: y = x where x is positive, negSlope * x elsewhere.
#include "plugin.h"

#include <algorithm>

namespace tenon::plugins {
namespace {

class LeakyRelu final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override { visit("negSlope", negSlope_); }
    Signature signature() const override { return Signature().input("input", "[...]").output("output", "[...]"); }

    void run(Tensors inputs, Tensors outputs) override {
        float const* const x = inputs[0].floats();
        parallelFor(inputs[0].count(), rowsPerThread(1), [&](int64_t begin, int64_t end) {
            std::transform(x + begin, x + end, outputs[0].floats() + begin,
                           [slope = negSlope_](float value) { return value > 0 ? value : value * slope; });
        });
    }

private:
    float negSlope_ = 0;
};

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<LeakyRelu>("LReLU_TRT", "1", PluginGeneration::kV2DynamicExt)};

} // namespace

std::span<PluginDefinition const> leakyReluPlugins() { return kDefinitions; }

} // namespace tenon::plugins
