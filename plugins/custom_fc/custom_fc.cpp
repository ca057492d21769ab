// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// CustomFCPluginDynamic: the matrix product of the input's third axis with W [K,out_dims], which is not transposed.
#include "transformers.h"

#include <stdexcept>

namespace tenon::plugins {
namespace {

class CustomFc final : public LayeredPlugin {
public:
    void fields(FieldVisitor& visit) override {
        visit("out_dims", outDims_);
        visit("type_id", typeId_);
        visit("W", weights_);
    }

    void check() const override {
        checkTypeId(typeId_, 1);
        if (outDims_ < 1) throw std::invalid_argument("out_dims has to be given, 1 or more");
        if (weights_.empty() || weights_.size() % size_t(outDims_) != 0)
            throw std::invalid_argument("W has " + std::to_string(weights_.size()) +
                                        " numbers; expected a multiple of out_dims, " + std::to_string(outDims_));
    }

    Signature signature() const override {
        return Signature().input("input", "[N,B,K,1,1]").output("output", "[N,B,out_dims,1,1]");
    }

    void checkInputs(KnownShapes inputs) const override {
        if (inputs[0].d[2] >= 0 && inputs[0].d[2] != rows())
            throw std::invalid_argument("the input's axis 2 has " + std::to_string(inputs[0].d[2]) +
                                        " elements, W has " + std::to_string(rows()) + " rows");
    }

    std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) override {
        Value const x = asTypeId(inputs[0], typeId_);
        Value const y = matmul(reshape(x, {0, 0, rows()}), in.reals(weights_, {1, rows(), outDims_}, x));
        return {cast(reshape(y, {0, 0, outDims_, 1, 1}), inputs[0].type())};
    }

private:
    int64_t rows() const { return int64_t(weights_.size()) / outDims_; }

    int32_t outDims_ = 0;
    int32_t typeId_ = -1;
    std::vector<float> weights_;
};

constexpr StandardPlugin kDefinitions[] = {
    standardPlugin<CustomFc>("CustomFCPluginDynamic", "1", PluginGeneration::kV2DynamicExt, "from 7.0")};

} // namespace

std::span<StandardPlugin const> customFcPlugins() { return kDefinitions; }

} // namespace tenon::plugins
