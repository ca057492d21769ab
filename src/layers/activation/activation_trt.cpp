// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/activation/activation.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class ActivationFace final : public FaceOf<api::IActivationLayer, Activation, api::LayerType::kACTIVATION> {
public:
    using FaceOf::FaceOf;

    void setActivationType(api::ActivationType type) noexcept override {
        edit("setActivationType",
             [&](Activation& layer) { layer.operation = checkedEnum<PointwiseOp>(type, "activation"); });
    }
    /// A number above the enumerators represents a function that only ONNX has.
    api::ActivationType getActivationType() const noexcept override {
        return sameEnum<api::ActivationType>(layer().operation);
    }
    void setAlpha(float alpha) noexcept override {
        edit("setAlpha", [&](Activation& layer) { layer.alpha = alpha; });
    }
    void setBeta(float beta) noexcept override {
        edit("setBeta", [&](Activation& layer) { layer.beta = beta; });
    }
    float getAlpha() const noexcept override { return static_cast<float>(layer().alpha); }
    float getBeta() const noexcept override { return static_cast<float>(layer().beta); }
};

} // namespace

FaceEntry activationFace() { return faceEntry<ActivationFace>(); }

api::IActivationLayer* Network::addActivation(ITensor& input, api::ActivationType type) noexcept {
    return guarded(reporter_, "addActivation", [&] {
        Activation layer;
        layer.operation = checkedEnum<PointwiseOp>(type, "activation");
        if (layer.operation == PointwiseOp::Softplus) layer.alpha = layer.beta = 1; // applications rely on that
        return addFace<ActivationFace>({&input}, layer);
    });
}

} // namespace tenon::trt
