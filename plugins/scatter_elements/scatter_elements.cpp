// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// ScatterElements: data with some of its elements combined with updates, as in ONNX's operator of that name: output[o,
// indices[o,i,j], j] becomes reduction(output[o, indices[o,i,j], j], updates[o,i,j]), in sequence.
#include "layers.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace tenon::plugins {
namespace {

using nvinfer1::Dims;

class ScatterElements final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("reduction", reduction_);
        visit("axis", axis_);
    }

    void check() const override {
        constexpr std::array<std::string_view, 5> kReductions{"none", "add", "mul", "min", "max"};
        if (std::ranges::find(kReductions, reduction_) == kReductions.end())
            throw std::invalid_argument("reduction has to be given, none, add, mul, min or max; found '" + reduction_ +
                                        "'");
    }

    Signature signature() const override {
        return Signature()
            .input("data", "[...]", Kind::kAny)
            .input("indices", "[?,?...]", Kind::kInt64)
            .input("updates", "[?,?...]", Kind::kAny)
            .output("output", "[...]", Kind::kAny);
    }

    void checkInputs(KnownShapes inputs) const override {
        int32_t const rank = inputs[0].nbDims;
        if (axis_ < -rank || axis_ >= rank)
            throw std::invalid_argument("axis is " + std::to_string(axis_) + "; data has " + std::to_string(rank) +
                                        " axes");
        Dims const &indices = inputs[1], &updates = inputs[2];
        bool const isAlike = indices.nbDims == rank && updates.nbDims == rank &&
                             std::equal(indices.d, indices.d + rank, updates.d,
                                        [](int64_t a, int64_t b) { return a < 0 || b < 0 || a == b; });
        if (!isAlike)
            throw std::invalid_argument("indices are " + hosting::printed(indices) + ", updates " +
                                        hosting::printed(updates) + "; expected one shape, of " + std::to_string(rank) +
                                        " axes as data has");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        return {onnxNode("ScatterElements", {inputs[0], inputs[1], inputs[2]},
                         OnnxAttributes().integer("axis", axis_).text("reduction", reduction_))};
    }

private:
    std::string reduction_;
    int32_t axis_ = 0;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<ScatterElements>("ScatterElements", "1", PluginGeneration::kV2DynamicExt, "from 10.0"),
    standardPlugin<ScatterElements>("ScatterElements", "2", PluginGeneration::kV3, "from 10.3"),
};

} // namespace

std::span<StandardPlugin const> scatterElementsPlugins() { return kDefinitions; }

} // namespace tenon::plugins
