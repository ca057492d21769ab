// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// GroupNormalizationPlugin: each group of channels gets mean 0 and variance 1; each channel is scaled and moved.
#include "moments.h"
#include "plugin.h"

#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class GroupNormalization final : public PluginBase {
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
            throw std::invalid_argument(std::to_string(channels) + " channels cannot be parted into " +
                                        std::to_string(numGroups_) + " groups of one size");
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& input = inputs[0];
        int64_t const size = input[1] / numGroups_ * input.count(2, input.rank());
        parallelFor(input[0] * numGroups_, rowsPerThread(size), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row) normalize(inputs, row, outputs[0].floats() + row * size);
        });
    }

private:
    // One group of one picture.
    void normalize(Tensors inputs, int64_t row, float* normalized) const {
        Tensor const& input = inputs[0];
        int64_t const places = input.count(2, input.rank()), channels = input[1] / numGroups_, size = channels * places;
        float const* const x = input.floats() + row * size;
        Moments const moments = momentsOf({x, size_t(size)});
        int64_t const first = row % numGroups_ * channels;
        for (int64_t channel = 0; channel < channels; ++channel) {
            Normalization const rule(moments, eps_, inputs[1].floats()[first + channel],
                                     inputs[2].floats()[first + channel]);
            for (int64_t i = channel * places; i < (channel + 1) * places; ++i) normalized[i] = rule(x[i]);
        }
    }

    float eps_ = 1e-5F;
    int32_t numGroups_ = 0;
};

constexpr PluginDefinition kDefinitions[] = {
    definePlugin<GroupNormalization>("GroupNormalizationPlugin", "1", PluginGeneration::kV2DynamicExt)};

} // namespace

std::span<PluginDefinition const> groupNormalizationPlugins() { return kDefinitions; }

} // namespace tenon::plugins
