// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// LayerNorm: mean 0 and variance 1 over the axes from `axis` on, times gamma, plus beta (arXiv:1607.06450).
#include "transformers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class LayerNorm final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("epsilon", epsilon_);
        visit("axis", axis_);
    }

    void check() const override {
        if (!(epsilon_ >= 0)) throw std::invalid_argument("epsilon has to be 0 or more");
    }

    Signature signature() const override {
        char const* const parameters = "[K]|[J,K]|[I,J,K]|[H,I,J,K]";
        return Signature()
            .input("input", "[...]")
            .input("gamma", parameters)
            .input("beta", parameters)
            .output("output", "[...]")
            .realsMayBeInt8();
    }

    void checkInputs(KnownShapes inputs) const override {
        int32_t const rank = inputs[0].nbDims;
        if (axis_ < -rank || axis_ >= rank)
            throw std::invalid_argument("axis is " + std::to_string(axis_) + "; the input has the axes " +
                                        std::to_string(-rank) + " to " + std::to_string(rank - 1));
        if (!isOf(inputs[1], inputs[0]) || !isOf(inputs[2], inputs[0]))
            throw std::invalid_argument("gamma and beta have to have the extents of the input from axis " +
                                        std::to_string(first(rank)) + " on");
    }

    std::vector<Value> layers(Layers&, std::vector<Value> const& inputs) override {
        Value const& x = inputs[0];
        Value const gamma = cast(inputs[1], x.type()), beta = cast(inputs[2], x.type());
        return {normalize(x, gamma, beta, Value::axes(first(x.rank()), x.rank()), epsilon_)};
    }

private:
    int32_t first(int32_t rank) const { return axis_ < 0 ? rank + axis_ : axis_; }

    bool isOf(nvinfer1::Dims const& parameters, nvinfer1::Dims const& input) const {
        int32_t const begin = first(input.nbDims);
        bool isAlike = parameters.nbDims == input.nbDims - begin;
        for (int32_t i = 0; isAlike && i < parameters.nbDims; ++i) {
            int64_t const expected = input.d[begin + i];
            isAlike = parameters.d[i] < 0 || expected < 0 || parameters.d[i] == expected;
        }
        return isAlike;
    }

    float epsilon_ = 1e-5F;
    int32_t axis_ = -1;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<LayerNorm>("LayerNorm", "1", PluginGeneration::kV2DynamicExt, "8.5")};

} // namespace

std::span<StandardPlugin const> layerNormPlugins() { return kDefinitions; }

} // namespace tenon::plugins
