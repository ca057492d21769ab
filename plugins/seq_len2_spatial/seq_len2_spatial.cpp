// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// SeqLen2Spatial: the sum of a sequence, a bias and another sequence, as feature maps: y[b,c,h,w] = z[b, h W + w, c]
// with z = sequence + bias + residual. Only the shape of the last input is read.
#include "layers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class SeqLen2Spatial final : public LayeredPlugin {
public:
    void fields(FieldVisitor&) override {}

    Signature signature() const override {
        return Signature()
            .input("sequence", "[B,S,C]")
            .input("bias", "[C]")
            .input("residual", "[B,S,C]")
            .input("map", "[B,C,H,W]", Kind::kFloat)
            .output("output", "[B,C,H,W]");
    }

    void checkInputs(KnownShapes inputs) const override {
        int64_t const length = inputs[0].d[1], height = inputs[3].d[2], width = inputs[3].d[3];
        if (length >= 0 && height >= 0 && width >= 0 && length != height * width)
            throw std::invalid_argument("the sequence has " + std::to_string(length) + " elements, the map " +
                                        std::to_string(height) + " times " + std::to_string(width));
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {reshape(transpose(inputs[0] + inputs[1] + inputs[2], {0, 2, 1}), shapeOf(inputs[3]))};
    }
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<SeqLen2Spatial>("SeqLen2Spatial", "1", PluginGeneration::kV2DynamicExt, "8.5")};

} // namespace

std::span<StandardPlugin const> seqLen2SpatialPlugins() { return kDefinitions; }

} // namespace tenon::plugins
