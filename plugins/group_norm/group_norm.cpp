// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// GroupNorm: each of 32 groups of channels is normalized to mean 0 and variance 1; each channel is scaled and shifted;
// then, if bSwish is set, y becomes y / (1 + exp(-y)).
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

constexpr int64_t kGroups = 32;

class GroupNorm final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("epsilon", epsilon_);
        visit("bSwish", bSwish_);
    }

    void check() const override {
        if (!(epsilon_ >= 0)) throw std::invalid_argument("epsilon has to be 0 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("input", "[N,C,...]")
            .input("gamma", "[C]", Kind::kFloat)
            .input("beta", "[C]", Kind::kFloat)
            .output("output", "[N,C,...]");
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const channels = inputs[0].d[1];
        if (channels >= 0 && channels % kGroups != 0)
            throw std::invalid_argument("the input has " + std::to_string(channels) +
                                        " channels; expected a multiple of 32, the number of groups");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        Value const gamma = cast(inputs[1], x.type()), beta = cast(inputs[2], x.type());
        Value const y = normalizeGroups(x, gamma, beta, kGroups, epsilon_);
        return {bSwish_ ? y * activation(y, nvinfer1::ActivationType::kSIGMOID) : y};
    }

private:
    float epsilon_ = 1e-5F;
    int32_t bSwish_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<GroupNorm>("GroupNorm", "1", PluginGeneration::kV2DynamicExt, "8.5")};

} // namespace

std::span<StandardPlugin const> groupNormPlugins() { return kDefinitions; }

} // namespace tenon::plugins
