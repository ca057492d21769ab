// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include "trt/edge/convert.h"
#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class SoftMaxFace final : public FaceOf<api::ISoftMaxLayer, Softmax, api::LayerType::kSOFTMAX> {
public:
    using FaceOf::FaceOf;

    void setAxes(uint32_t axes) noexcept override {
        edit("setAxes", [&](Softmax& layer) { layer.axis = inputAxes().ofMask(axes); });
    }
    uint32_t getAxes() const noexcept override {
        return ask("getAxes", [&](Softmax const& layer) { return inputAxes().mask({layer.axis}); });
    }
};

} // namespace

FaceEntry softmaxFace() { return faceEntry<SoftMaxFace>(); }

api::ISoftMaxLayer* Network::addSoftMax(ITensor& input) noexcept {
    return guarded(reporter_, "addSoftMax", [&] {
        Softmax layer;
        layer.axis = axesOf(input).channel();
        return addFace<SoftMaxFace>({&input}, layer);
    });
}

} // namespace tenon::trt
