// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CustomGeluPluginDynamic: y = z (1 + tanh(sqrt(2 / pi) (z + 0.044715 z^3))) / 2 with z = x + bias (arXiv:1606.08415).
// The bias is along the last axis whose extent is not 1: [S,B,E] and [S,B,E,1,1] alike.
#include "transformers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class CustomGelu final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("type_id", typeId_);
        visit("bias", bias_);
    }

    void check() const override { checkTypeId(typeId_, 1); }

    Signature signature() const override { return Signature().input("input", "[E,...]").output("output", "[E,...]"); }

    void checkInputs(KnownShapes inputs) const override {
        if (bias_.empty()) return;
        int64_t const extent = inputs[0].d[lastWideAxis(inputs[0])];
        if (extent >= 0 && extent != int64_t(bias_.size()))
            throw std::invalid_argument("bias has " + std::to_string(bias_.size()) +
                                        " numbers; expected the extent of the input's last axis other than 1, " +
                                        std::to_string(extent));
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value x = asTypeId(inputs[0], typeId_);
        if (!bias_.empty()) {
            nvinfer1::Dims const dims = x.tensor().getDimensions();
            std::vector<int64_t> extents(size_t(dims.nbDims), 1);
            extents[size_t(lastWideAxis(dims))] = int64_t(bias_.size());
            x = x + in.reals(bias_, extents, x);
        }
        return {cast(activation(x, nvinfer1::ActivationType::kGELU_TANH), inputs[0].type())};
    }

private:
    int32_t typeId_ = -1;
    std::vector<float> bias_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<CustomGelu>("CustomGeluPluginDynamic", "1", PluginGeneration::kV2DynamicExt, "6.0 to 10.16")};

} // namespace

std::span<StandardPlugin const> customGeluPlugins() { return kDefinitions; }

} // namespace tenon::plugins
