// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// GroupNormalizationPlugin: each group of channels is normalized to mean 0 and variance 1; each channel is scaled and
// shifted.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class GroupNormalization final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("eps", eps_);
        visit("num_groups", numGroups_);
    }

    void check() const override {
        if (numGroups_ < 1) throw std::invalid_argument("num_groups has to be given, 1 or more");
        if (!(eps_ >= 0)) throw std::invalid_argument("eps has to be 0 or more");
    }

    Signature signature() const override {
        return Signature()
            .input("input", "[N,C,...]", Kind::kFloat)
            .input("scale", "[C]", Kind::kFloat)
            .input("bias", "[C]", Kind::kFloat)
            .output("output", "[N,C,...]", Kind::kFloat);
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const channels = inputs[0].d[1];
        if (channels >= 0 && channels % numGroups_ != 0)
            throw std::invalid_argument(std::to_string(channels) + " channels cannot be divided into " +
                                        std::to_string(numGroups_) + " groups of one size");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {normalizeGroups(inputs[0], inputs[1], inputs[2], numGroups_, eps_)};
    }

private:
    float eps_ = 1e-5F;
    int32_t numGroups_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<GroupNormalization>("GroupNormalizationPlugin", "1", PluginGeneration::kV2DynamicExt, "from 7.1")};

} // namespace

std::span<StandardPlugin const> groupNormalizationPlugins() { return kDefinitions; }

} // namespace tenon::plugins
