// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// MultiscaleDeformableAttnPlugin_TRT: each query is a weighted sum of samples at a few places of several feature maps.
#include "plugin.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace tenon::plugins {
namespace {

// One head of one map: its pixel (y, x) has its channels at first + (y * width + x) * step.
struct Map {
    float const* first;
    int64_t height, width, step;
};

// output[channel] += weight * pixel; outside of the map there is nothing.
void addPixel(Map const& map, int64_t y, int64_t x, float weight, std::span<float> output) {
    if (y < 0 || x < 0 || y >= map.height || x >= map.width) return;
    float const* const pixel = map.first + (y * map.width + x) * map.step;
    for (size_t channel = 0; channel < output.size(); ++channel) output[channel] += weight * pixel[channel];
}

// `location` is x, y, 0 to 1 across the map.
void addSample(Map const& map, float const* location, float weight, std::span<float> output) {
    float const x = location[0] * float(map.width) - 0.5F, y = location[1] * float(map.height) - 0.5F;
    if (!(x > -1 && y > -1 && x < float(map.width) && y < float(map.height))) return;
    float const left = std::floor(x), top = std::floor(y), right = x - left, bottom = y - top;
    auto const column = int64_t(left), row = int64_t(top);
    addPixel(map, row, column, weight * (1 - bottom) * (1 - right), output);
    addPixel(map, row, column + 1, weight * (1 - bottom) * right, output);
    addPixel(map, row + 1, column, weight * bottom * (1 - right), output);
    addPixel(map, row + 1, column + 1, weight * bottom * right, output);
}

class MultiscaleDeformableAttention final : public PluginBase {
public:
    void fields(FieldVisitor&) override {}
    // B pictures, S places of all maps together, M heads of D channels, L maps, Q queries, P places for each query and
    // map.
    Signature signature() const override {
        return Signature()
            .input("value", "[B,S,M,D]")
            .input("spatial_shapes", "[L,2]", Kind::kInt32)
            .input("level_start_index", "[L]", Kind::kInt32)
            .input("sampling_locations", "[B,Q,M,L,P,2]")
            .input("attention_weights", "[B,Q,M,L,P]")
            .output("output", "[B,Q,M,D]");
    }

    void run(Tensors inputs, Tensors outputs) override {
        Tensor const& locations = inputs[3];
        checkMaps(inputs);
        int64_t const channels = inputs[0][3], steps = locations.count(3, 5) * channels * 4;
        parallelFor(locations.count(0, 3), rowsPerThread(steps), [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
                attend(inputs, i, {outputs[0].floats() + i * channels, size_t(channels)});
        });
    }

private:
    // Of one head of one query of one picture, as they are counted in the locations [B,Q,M,L,P,2].
    static void attend(Tensors inputs, int64_t index, std::span<float> output) {
        Tensor const& locations = inputs[3];
        int64_t const heads = locations[2], points = locations[4], samples = locations[3] * points;
        int64_t const picture = index / heads / locations[1], head = index % heads;
        float const* location = locations.floats() + index * samples * 2;
        float const* weight = inputs[4].floats() + index * samples;
        std::ranges::fill(output, 0.0F);
        for (int64_t sample = 0; sample < samples; ++sample, location += 2)
            addSample(mapOf(inputs, picture, sample / points, head), location, *weight++, output);
    }

    static Map mapOf(Tensors inputs, int64_t picture, int64_t level, int64_t head) {
        Tensor const& value = inputs[0];
        int64_t const place = picture * value[1] + inputs[2].ints()[level], step = value[2] * value[3];
        int32_t const* const shape = inputs[1].ints() + level * 2;
        return {value.floats() + place * step + head * value[3], shape[0], shape[1], step};
    }

    static void checkMaps(Tensors inputs) {
        for (int64_t level = 0; level < inputs[1][0]; ++level) {
            int64_t const height = inputs[1].ints()[level * 2], width = inputs[1].ints()[level * 2 + 1];
            int64_t const start = inputs[2].ints()[level];
            if (height >= 0 && width >= 0 && start >= 0 && start + height * width <= inputs[0][1]) continue;
            throw std::invalid_argument("map " + std::to_string(level) + " is " + std::to_string(height) + " x " +
                                        std::to_string(width) + " from place " + std::to_string(start) +
                                        " on; value has " + std::to_string(inputs[0][1]) + " places");
        }
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<MultiscaleDeformableAttention>("MultiscaleDeformableAttnPlugin_TRT", "1",
                                                  PluginGeneration::kV2DynamicExt, "from 8.4"),
    standardPlugin<MultiscaleDeformableAttention>("MultiscaleDeformableAttnPlugin_TRT", "2", PluginGeneration::kV3,
                                                  "from 10.11"),
};

} // namespace

std::span<StandardPlugin const> multiscaleDeformableAttentionPlugins() { return kDefinitions; }

} // namespace tenon::plugins
