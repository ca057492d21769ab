// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/constant/constant.h"

#include "trt/network.h"

namespace tenon::trt {
namespace {

class ConstantFace final : public FaceOf<api::IConstantLayer, Constant, api::LayerType::kCONSTANT> {
public:
    using FaceOf::FaceOf;

    void setWeights(api::Weights weights) noexcept override {
        edit("setWeights", [&](Constant& layer) { layer.value = fromApi(weights, layer.value.dims()); });
    }
    api::Weights getWeights() const noexcept override { return toApi(&layer().value); }

protected:
    void setDimensions_(Dims64 const& dimensions) noexcept override {
        edit("setDimensions",
             [&](Constant& layer) { layer.value = layer.value.reshaped(fromApi(network().whole(dimensions))); });
    }
    Dims64 getDimensions_() const noexcept override { return network().shown(toApi(layer().value.dims())); }
};

} // namespace

FaceEntry constantFace() { return faceEntry<ConstantFace>(); }

api::IConstantLayer* Network::addConstant_(Dims64 const& dimensions, Weights weights) noexcept {
    return guarded(reporter_, "addConstant",
                   [&] { return addFace<ConstantFace>({}, Constant(fromApi(weights, fromApi(whole(dimensions))))); });
}

} // namespace tenon::trt
