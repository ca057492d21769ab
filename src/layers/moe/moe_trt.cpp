// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/moe/moe.h"

#include "trt/network/network.h"

#include <cmath>

namespace tenon::trt {
namespace {

class MoeFace final : public FaceOf<api::IMoELayer, Moe, api::LayerType::kMOE> {
public:
    using FaceOf::FaceOf;

    void setGatedWeights(api::ITensor& fcGateWeights, api::ITensor& fcUpWeights, api::ITensor& fcDownWeights,
                         api::MoEActType activationType) noexcept override {
        edit("setGatedWeights", [&](Moe& layer) {
            layer.activation = checkedEnum<Moe::Activation>(activationType, "activation");
            give(Moe::kGate, {&fcGateWeights, &fcUpWeights, &fcDownWeights});
        });
    }
    void setGatedBiases(api::ITensor& fcGateBiases, api::ITensor& fcUpBiases,
                        api::ITensor& fcDownBiases) noexcept override {
        edit("setGatedBiases", [&](Moe&) { give(Moe::kGateBias, {&fcGateBiases, &fcUpBiases, &fcDownBiases}); });
    }
    void setActivationType(api::MoEActType activationType) noexcept override {
        edit("setActivationType",
             [&](Moe& layer) { layer.activation = checkedEnum<Moe::Activation>(activationType, "activation"); });
    }
    api::MoEActType getActivationType() const noexcept override {
        return sameEnum<api::MoEActType>(layer().activation);
    }
    void setQuantizationStatic(api::ITensor& fcDownActivationScale, api::DataType dataType) noexcept override {
        edit("setQuantizationStatic", [&](Moe& layer) {
            DataType const to = quantizedTo(dataType);
            give(Moe::kScale, {&fcDownActivationScale});
            layer.quantizeTo = to;
            layer.blocks.clear();
            layer.scaleType = DataType::Float32;
        });
    }
    void setQuantizationToType(api::DataType type) noexcept override {
        edit("setQuantizationToType", [&](Moe& layer) { layer.quantizeTo = quantizedTo(type); });
    }
    api::DataType getQuantizationToType() const noexcept override { return toApi(layer().quantizeTo); }
    void setDynQOutputScaleType(api::DataType type) noexcept override {
        edit("setDynQOutputScaleType", [&](Moe& layer) { layer.scaleType = typeOfScales(type); });
    }
    api::DataType getDynQOutputScaleType() const noexcept override { return toApi(layer().scaleType); }
    void setSwigluParams(float limit, float alpha, float beta) noexcept override {
        edit("setSwigluParams", [&](Moe& layer) {
            double const checked = checkedLimit(limit);
            layer.alpha = checkedNumber(alpha, "alpha");
            layer.beta = checkedNumber(beta, "beta");
            layer.limit = checked;
        });
    }
    void setSwigluParamLimit(float limit) noexcept override {
        edit("setSwigluParamLimit", [&](Moe& layer) { layer.limit = checkedLimit(limit); });
    }
    float getSwigluParamLimit() const noexcept override {
        return layer().limit == 0 ? INFINITY : static_cast<float>(layer().limit);
    }
    void setSwigluParamAlpha(float alpha) noexcept override {
        edit("setSwigluParamAlpha", [&](Moe& layer) { layer.alpha = checkedNumber(alpha, "alpha"); });
    }
    float getSwigluParamAlpha() const noexcept override { return static_cast<float>(layer().alpha); }
    void setSwigluParamBeta(float beta) noexcept override {
        edit("setSwigluParamBeta", [&](Moe& layer) { layer.beta = checkedNumber(beta, "beta"); });
    }
    float getSwigluParamBeta() const noexcept override { return static_cast<float>(layer().beta); }
    void setInput(int32_t index, api::ITensor& tensor) noexcept override {
        edit("setInput", [&](Moe&) {
            if (index < Moe::kX || index > Moe::kScores)
                fail(ErrorCode::InvalidArgument, "there is no input ", index,
                     "; expected 0 to 2 (weights are given with setGatedWeights)");
            give(index, {&tensor});
        });
    }

protected:
    void setQuantizationDynamicDblQ_(api::ITensor& fcDownActivationDblQScale, api::DataType dataType,
                                     Dims64 const& blockShape, api::DataType dynQOutputScaleType) noexcept override {
        edit("setQuantizationDynamicDblQ", [&](Moe& layer) {
            DataType const to = quantizedTo(dataType);
            DataType const ofScales = typeOfScales(dynQOutputScaleType);
            Dims const blocks = fromApi(blockShape);
            give(Moe::kScale, {&fcDownActivationDblQScale});
            layer.quantizeTo = to;
            layer.scaleType = ofScales;
            layer.blocks.assign(blocks.begin(), blocks.end());
        });
    }
    void setQuantizationBlockShape_(Dims64 const& blockShape) noexcept override {
        edit("setQuantizationBlockShape", [&](Moe& layer) {
            Dims const blocks = fromApi(blockShape);
            layer.blocks.assign(blocks.begin(), blocks.end());
        });
    }
    Dims64 getQuantizationBlockShape_() const noexcept override {
        return layer().blocks.empty() ? noDims() : toApi(Dims(std::span(layer().blocks)));
    }

private:
    void give(int first, std::vector<api::ITensor*> const& tensors) {
        for (api::ITensor const* tensor : tensors)
            network().graph().setInput(&node(), first++, &network().tensorOf(*tensor));
    }
    static DataType quantizedTo(api::DataType type) {
        DataType const to = fromApi(type);
        checkQuantizeTo(to);
        return to;
    }
    static DataType typeOfScales(api::DataType type) {
        DataType const ofScales = fromApi(type);
        checkScaleType(ofScales);
        return ofScales;
    }
    /// No limit is 0 in the layer, infinity in the API.
    static double checkedLimit(float limit) {
        if (!(limit > 0)) fail(ErrorCode::InvalidArgument, "a limit of ", limit, "; expected a number above 0");
        return std::isinf(limit) ? 0 : double{limit};
    }
    static double checkedNumber(float number, std::string_view what) {
        if (!std::isfinite(number))
            fail(ErrorCode::InvalidArgument, what, " is ", number, "; expected a finite number");
        return double{number};
    }
};

} // namespace

FaceEntry moeFace() { return faceEntry<MoeFace>(); }

api::IMoELayer* Network::addMoE(ITensor& hiddenStates, ITensor& selectedExpertsForTokens,
                                ITensor& scoresForSelectedExperts) noexcept {
    return guarded(reporter_, "addMoE", [&] {
        expectExplicitBatch("addMoE");
        return addFace<MoeFace>({&hiddenStates, &selectedExpertsForTokens, &scoresForSelectedExperts}, Moe(), false);
    });
}

} // namespace tenon::trt
