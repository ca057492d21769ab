// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Normalize_TRT: each position of a feature map, or all of it, as a vector of length 1, scaled by channel.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::ReduceOperation;
using nvinfer1::UnaryOperation;

class Normalize final : public LayeredPlugin {
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

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        uint32_t const axes = acrossSpatial_ ? Value::axes(1, 4) : Value::axes(1, 2);
        Value const length = unary(reduce(x * x, ReduceOperation::kSUM, axes) + eps_, UnaryOperation::kSQRT);
        return {x / length * in.reals(weights_, {1, int64_t(weights_.size()), 1, 1}, x)};
    }

private:
    std::vector<float> weights_;
    int32_t acrossSpatial_ = 0;
    int32_t channelShared_ = 0;
    int32_t nbWeights_ = 0; // the count is that of weights
    float eps_ = 1e-10F;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<Normalize>("Normalize_TRT", "1", PluginGeneration::kV2DynamicExt, "5.1 to 10.16")};

} // namespace

std::span<StandardPlugin const> normalizePlugins() { return kDefinitions; }

} // namespace tenon::plugins
