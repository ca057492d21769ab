// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// InstanceNormalization_TRT: each channel of each instance gets mean 0 and variance 1, is scaled and moved; then, where
// that is asked for, what is negative is multiplied by `alpha`.
#include "moments.h"
#include "plugin.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class InstanceNormalization final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("epsilon", epsilon_);
        visit("scales", scales_);
        visit("bias", bias_);
        visit("relu", relu_);
        visit("alpha", alpha_);
    }

    void check() const override {
        if (scales_.empty() || scales_.size() != bias_.size())
            throw std::invalid_argument("scales and bias have to have one value for each channel; found " +
                                        std::to_string(scales_.size()) + " and " + std::to_string(bias_.size()));
        if (!(epsilon_ >= 0)) throw std::invalid_argument("epsilon has to be 0 or more");
    }

    Signature signature() const override {
        return Signature().input("input", "[N,C,...]").output("output", "[N,C,...]");
    }

    void checkInputs(KnownShapes inputs) const override {
        if (inputs[0].d[1] >= 0 && inputs[0].d[1] != int64_t(scales_.size()))
            throw std::invalid_argument("the input has " + std::to_string(inputs[0].d[1]) +
                                        " channels, scales and bias have " + std::to_string(scales_.size()));
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& input = inputs[0];
        int64_t const channels = input[1], places = input.count(2, input.rank());
        parallelFor(input[0] * channels, rowsPerThread(places), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) {
                std::span const values(input.floats() + row * places, size_t(places));
                normalize(values, size_t(row % channels), outputs[0].floats() + row * places);
            }
        });
    }

private:
    void normalize(std::span<float const> values, size_t channel, float* normalized) const {
        Normalization const rule(momentsOf(values), epsilon_, scales_[channel], bias_[channel]);
        float const negative = relu_ ? alpha_ : 1;
        for (float value : values) {
            float const moved = rule(value);
            *normalized++ = moved < 0 ? moved * negative : moved;
        }
    }

    float epsilon_ = 1e-5F;
    std::vector<float> scales_, bias_;
    int32_t relu_ = 0;
    float alpha_ = 0;
};

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<InstanceNormalization>("InstanceNormalization_TRT", "1", PluginGeneration::kV2DynamicExt),
    definePlugin<InstanceNormalization>("InstanceNormalization_TRT", "2", PluginGeneration::kV2DynamicExt),
    definePlugin<InstanceNormalization>("InstanceNormalization_TRT", "3", PluginGeneration::kV3),
};

} // namespace

std::span<PluginDefinition const> instanceNormalizationPlugins() { return kDefinitions; }

} // namespace tenon::plugins
