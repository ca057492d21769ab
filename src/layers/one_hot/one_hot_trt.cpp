// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/one_hot/one_hot.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class OneHotFace final : public FaceOf<api::IOneHotLayer, OneHot, api::LayerType::kONE_HOT> {
public:
    using FaceOf::FaceOf;

    void setAxis(int32_t axis) noexcept override {
        edit("setAxis", [&](OneHot& layer) { layer.axis = outputAxes().fromApi(axis); });
    }
    int32_t getAxis() const noexcept override {
        return ask("getAxis", [&](OneHot const& layer) { return outputAxes().toApi(layer.axis); });
    }
};

} // namespace

FaceEntry oneHotFace() { return faceEntry<OneHotFace>(); }

api::IOneHotLayer* Network::addOneHot(ITensor& indices, ITensor& values, ITensor& depth, int32_t axis) noexcept {
    return guarded(reporter_, "addOneHot", [&] {
        expectExplicitBatch("addOneHot");
        OneHot layer;
        layer.axis = resolveAxis(axis, axesOf(indices).rank() + 1);
        return addFace<OneHotFace>({&indices, &values, &depth}, layer);
    });
}

} // namespace tenon::trt
