// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/constant/constant.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class ConstantFace final : public FaceOf<api::IConstantLayer, Constant, api::LayerType::kCONSTANT> {
public:
    ConstantFace(Network& network, Node& node)
        : FaceOf(network, node), dims_(layer().value.dims()), values_(layer().value.reshaped({dims_.volume()})) {}

    void setWeights(api::Weights weights) noexcept override {
        edit("setWeights", [&](Constant&) { values_ = network().valuesOf(weights, {weights.count}); });
    }
    api::Weights getWeights() const noexcept override { return network().weightsOf(&values_); }

    void settle() override {
        if (values_.dims().volume() != dims_.volume()) fromApi(toApi(&values_), dims_); // reports the mismatch
        static_cast<Constant&>(*node().layer).value = values_.reshaped(dims_);
    }

protected:
    void setDimensions_(Dims64 const& dimensions) noexcept override {
        edit("setDimensions", [&](Constant&) { dims_ = fromApi(network().whole(dimensions)); });
    }
    Dims64 getDimensions_() const noexcept override { return network().shown(toApi(dims_)); }

private:
    Dims dims_; // one of them may be set before the other fits
    Literal values_;
};

} // namespace

FaceEntry constantFace() { return faceEntry<ConstantFace>(); }

api::IConstantLayer* Network::addConstant_(Dims64 const& dimensions, Weights weights) noexcept {
    return guarded(reporter_, "addConstant",
                   [&] { return addFace<ConstantFace>({}, Constant(valuesOf(weights, fromApi(whole(dimensions))))); });
}

} // namespace tenon::trt
