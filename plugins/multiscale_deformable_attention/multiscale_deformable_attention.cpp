// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// MultiscaleDeformableAttnPlugin_TRT: each query is a weighted sum of samples at a few positions of several feature
// maps.
#include "multiscale_deformable_attention.h"

#include "gpu.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace tenon::plugins {
namespace {

class MultiscaleDeformableAttention final : public GpuPlugin {
public:
    void fields(FieldVisitor&) override {}
    Signature signature() const override {
        return Signature()
            .input("value", "[B,S,M,D]")
            .input("spatial_shapes", "[L,2]", Kind::kInt32)
            .input("level_start_index", "[L]", Kind::kInt32)
            .input("sampling_locations", "[B,Q,M,L,P,2]")
            .input("attention_weights", "[B,Q,M,L,P]")
            .output("output", "[B,Q,M,D]");
    }

    void checkInputs(KnownShapes inputs) const override {
        constexpr int64_t kMost = std::numeric_limits<int32_t>::max(); // the type of the maps' extents
        if (inputs[0].d[1] > kMost)
            throw std::invalid_argument("value has " + std::to_string(inputs[0].d[1]) +
                                        " positions; expected at most " + std::to_string(kMost));
    }

    void run(Tensors inputs, Tensors outputs) override {
        checkMaps(inputs);
        AttentionExtents const extents(inputs);
        int64_t const rows = extents.pictures * extents.queries * extents.heads, channels = extents.channels;
        int64_t const steps = extents.maps * extents.points * channels * 4;
        parallelFor(rows, rowsPerThread(steps), [&](int64_t begin, int64_t end) {
            for (int64_t row = begin; row < end; ++row)
                attend(inputs, extents, row, {outputs[0].floats() + row * channels, size_t(channels)});
        });
    }

    void runOnGpu(Tensors inputs, Tensors outputs, void*, cudaStream_t stream) override {
        if constexpr (kHasKernels) attendOnGpu(inputs, outputs[0], stream);
    }

private:
    // Of one head of one query of one image, by index in the locations [B,Q,M,L,P,2].
    static void attend(Tensors inputs, AttentionExtents const& extents, int64_t row, std::span<float> output) {
        int64_t const picture = row / extents.heads / extents.queries, head = row % extents.heads;
        int64_t const first = row * extents.maps * extents.points;
        float const* location = inputs[3].floats() + first * 2;
        float const* weight = inputs[4].floats() + first;
        std::ranges::fill(output, 0.0F);
        for (int64_t number = 0; number < extents.maps; ++number) {
            AttentionMap const map(inputs[1].ints(), inputs[2].ints(), number);
            int64_t const place = (picture * extents.places + map.start) * extents.heads + head;
            float const* const pixels = inputs[0].floats() + place * extents.channels;
            for (int64_t point = 0; point < extents.points; ++point, location += 2)
                add(AttentionTaps(map, location[0], location[1], *weight++), extents, pixels, output);
        }
    }

    static void add(AttentionTaps const& taps, AttentionExtents const& extents, float const* pixels,
                    std::span<float> output) {
        for (int i = 0; i < 4; ++i) {
            if (taps.place[i] < 0) continue;
            float const* const pixel = pixels + extents.heads * extents.channels * taps.place[i];
            for (size_t channel = 0; channel < output.size(); ++channel)
                output[channel] += taps.share[i] * pixel[channel];
        }
    }

    static void checkMaps(Tensors inputs) {
        for (int64_t number = 0; number < inputs[1][0]; ++number) {
            AttentionMap const map(inputs[1].ints(), inputs[2].ints(), number);
            if (map.isWithin(inputs[0][1])) continue;
            throw std::invalid_argument("map " + std::to_string(number) + " is " + std::to_string(map.height) + " x " +
                                        std::to_string(map.width) + " from position " + std::to_string(map.start) +
                                        " on; value has " + std::to_string(inputs[0][1]) + " positions");
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
