// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalize_TRT: each place of a feature map, or all of it, as a vector of length 1, scaled by channel.
#include "plugin.h"

#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class Normalize final : public PluginBase {
public:
    void fields(FieldVisitor& visit) override {
        visit("weights", weights_);
        visit("acrossSpatial", acrossSpatial_);
        visit("channelShared", channelShared_);
        visit("nbWeights", nbWeights_);
        visit("eps", eps_);
    }

    void check() const override {
        if (weights_.empty()) throw std::invalid_argument("weights has to be given");
        if (channelShared_ && weights_.size() != 1)
            throw std::invalid_argument("weights has to be one number, because channelShared is set; found " +
                                        std::to_string(weights_.size()));
    }

    Signature signature() const override {
        return Signature().input("input", "[N,C,H,W]", Kind::kFloat).output("output", "[N,C,H,W]", Kind::kFloat);
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const channels = inputs[0].d[1];
        if (!channelShared_ && channels >= 0 && channels != int64_t(weights_.size()))
            throw std::invalid_argument("the input has " + std::to_string(channels) + " channels, weights has " +
                                        std::to_string(weights_.size()) + " numbers");
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& input = inputs[0];
        int64_t const picture = input.count(1, 4), places = input.count(2, 4);
        for (int64_t n = 0; n < input[0]; ++n) {
            float const* const x = input.floats() + n * picture;
            findFactors(x, input[1], places);
            float* const y = outputs[0].floats() + n * picture;
            parallelFor(picture, rowsPerThread(1), [&](int64_t begin, int64_t end) {
                for (int64_t i = begin; i < end; ++i)
                    y[i] = x[i] * factors_[size_t(i % places)] * weights_[channelShared_ ? 0 : size_t(i / places)];
            });
        }
    }

private:
    // 1 / length at each place of x [C,places].
    void findFactors(float const* x, int64_t channels, int64_t places) {
        factors_.assign(size_t(places), 0);
        parallelFor(places, rowsPerThread(channels), [&](int64_t begin, int64_t end) {
            for (int64_t channel = 0; channel < channels; ++channel) {
                float const* const row = x + channel * places;
                for (int64_t i = begin; i < end; ++i) factors_[size_t(i)] += row[i] * row[i];
            }
        });
        if (acrossSpatial_) {
            double sum = 0;
            for (float square : factors_) sum += square;
            factors_.assign(size_t(places), float(sum));
        }
        for (float& factor : factors_) factor = 1 / std::sqrt(factor + eps_);
    }

    std::vector<float> weights_;
    int32_t acrossSpatial_ = 0;
    int32_t channelShared_ = 0;
    int32_t nbWeights_ = 0; // weights says it itself
    float eps_ = 1e-10F;

    std::vector<float> factors_;
};

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<Normalize>("Normalize_TRT", "1", PluginGeneration::kV2DynamicExt)};

} // namespace

std::span<PluginDefinition const> normalizePlugins() { return kDefinitions; }

} // namespace tenon::plugins
