// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization.h"

#include "trt/edge/convert.h"
#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class NormalizationFace final : public FaceOf<api::INormalizationLayer, Normalization, api::LayerType::kNORMALIZATION> {
public:
    using FaceOf::FaceOf;

    void setEpsilon(float eps) noexcept override {
        edit("setEpsilon", [&](Normalization& layer) {
            if (!(eps >= 0)) fail(ErrorCode::InvalidArgument, "epsilon is ", eps, "; expected 0 or more");
            layer.epsilon = static_cast<double>(eps);
        });
    }
    float getEpsilon() const noexcept override { return static_cast<float>(layer().epsilon); }
    void setAxes(uint32_t axesMask) noexcept override {
        edit("setAxes", [&](Normalization& layer) { layer.axes = inputAxes().allOfMask(axesMask); });
    }
    uint32_t getAxes() const noexcept override {
        return ask("getAxes", [&](Normalization const& layer) { return inputAxes().mask(layer.axes); });
    }
    void setNbGroups(int64_t nbGroups) noexcept override {
        edit("setNbGroups", [&](Normalization& layer) { layer.groups = nbGroups; });
    }
    int64_t getNbGroups() const noexcept override { return layer().groups; }
    void setComputePrecision(api::DataType type) noexcept override {
        edit("setComputePrecision", [&](Normalization& layer) {
            if (type != api::DataType::kFLOAT && type != api::DataType::kHALF)
                fail(ErrorCode::InvalidArgument, "compute precision ", fromApi(type), "; expected kFLOAT or kHALF");
            layer.computePrecision = fromApi(type);
        });
    }
    api::DataType getComputePrecision() const noexcept override { return toApi(layer().computePrecision); }
    bool isV2() const noexcept override { return isV2_; }
    void becomeV2() { isV2_ = true; }

private:
    bool isV2_ = false;
};

} // namespace

FaceEntry normalizationFace() { return faceEntry<NormalizationFace>(); }

api::INormalizationLayer* Network::addNormalization(ITensor& input, ITensor& scale, ITensor& bias,
                                                    uint32_t axesMask) noexcept {
    return guarded(reporter_, "addNormalization", [&] {
        Normalization layer;
        layer.axes = axesOf(input).allOfMask(axesMask);
        return addFace<NormalizationFace>({&input, &scale, &bias}, layer, false); // the groups are not known yet
    });
}

api::INormalizationLayer* Network::addNormalizationV2(ITensor& input, ITensor& scale, ITensor& bias,
                                                      uint32_t axesMask) noexcept {
    return guarded(reporter_, "addNormalizationV2", [&] {
        Normalization layer;
        layer.axes = axesOf(input).allOfMask(axesMask);
        auto* face = addFace<NormalizationFace>({&input, &scale, &bias}, layer, false);
        face->becomeV2();
        return face;
    });
}

} // namespace tenon::trt
