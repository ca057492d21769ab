// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// InstanceNormalization_TRT: each channel of each instance is normalized to mean 0 and variance 1, scaled and shifted;
// then, if requested, negative values are multiplied by `alpha`.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class InstanceNormalization final : public LayeredPlugin {
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
        return Signature().input("input", "[N,C,...]").output("output", "[N,C,...]").realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override {
        if (inputs[0].d[1] >= 0 && inputs[0].d[1] != int64_t(scales_.size()))
            throw std::invalid_argument("the input has " + std::to_string(inputs[0].d[1]) +
                                        " channels, scales and bias have " + std::to_string(scales_.size()));
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const& given = inputs[0];
        bool const hasPlaces = given.rank() > 2;
        Value const x = hasPlaces ? given : reshape(given, {0, 0, 1});
        std::vector<int64_t> extents(size_t(x.rank()), 1);
        extents[1] = int64_t(scales_.size());
        Value const y = normalize(x, in.reals(scales_, extents, x), in.reals(bias_, extents, x),
                                  Value::axes(2, x.rank()), epsilon_);
        Value const rectified = relu_ ? activation(y, nvinfer1::ActivationType::kLEAKY_RELU, alpha_) : y;
        return {hasPlaces ? rectified : reshape(rectified, {0, 0})};
    }

private:
    float epsilon_ = 1e-5F;
    std::vector<float> scales_, bias_;
    int32_t relu_ = 0;
    float alpha_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<InstanceNormalization>("InstanceNormalization_TRT", "001", PluginGeneration::kV2DynamicExt,
                                          "6.0 to 7.0"),
    standardPlugin<InstanceNormalization>("InstanceNormalization_TRT", "1", PluginGeneration::kV2DynamicExt,
                                          "from 7.1"),
    standardPlugin<InstanceNormalization>("InstanceNormalization_TRT", "2", PluginGeneration::kV2DynamicExt,
                                          "from 8.0"),
    standardPlugin<InstanceNormalization>("InstanceNormalization_TRT", "3", PluginGeneration::kV3, "from 10.2"),
};

} // namespace

std::span<StandardPlugin const> instanceNormalizationPlugins() { return kDefinitions; }

} // namespace tenon::plugins
