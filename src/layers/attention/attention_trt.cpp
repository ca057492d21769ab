// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "trt/convert.h"
#include "trt/network.h"

namespace tenon::trt {
namespace {

Attention::Normalization fromApi(api::AttentionNormalizationOp op) {
    return checkedEnum<Attention::Normalization>(op, "normalization operation");
}

/// The layer that the network shows, and the IAttention that it belongs to. Inputs and outputs are the same for both.
class AttentionFace final : public FaceOf<api::IAttentionOutputLayer, Attention, api::LayerType::kATTENTION_OUTPUT> {
public:
    using FaceOf::FaceOf;

    api::IAttention* getAttention() const noexcept override { return &whole_; }

private:
    class Whole final : public api::IAttention {
    public:
        explicit Whole(AttentionFace& face) : face_(face) {}

        bool setNormalizationOperation(api::AttentionNormalizationOp op) noexcept override {
            return face_.edit("setNormalizationOperation",
                              [&](Attention& layer) { layer.normalization = fromApi(op); });
        }
        api::AttentionNormalizationOp getNormalizationOperation() const noexcept override {
            return face_.ask("getNormalizationOperation", [&](Attention const& layer) {
                return sameEnum<api::AttentionNormalizationOp>(layer.normalization);
            });
        }
        bool setMask(api::ITensor& mask) noexcept override { return setInput(Attention::kMask, mask); }
        api::ITensor* getMask() noexcept override { return getInput(Attention::kMask); }
        bool setCausal(bool causal) noexcept override {
            return face_.edit("setCausal", [&](Attention& layer) {
                if (causal) face_.expectOneOf(face_.node().input(Attention::kMask) != nullptr, causal);
                layer.causal = causal;
            });
        }
        bool getCausal() const noexcept override {
            return face_.ask("getCausal", [&](Attention const& layer) { return layer.causal; });
        }
        bool setDecomposable(bool decomposable) noexcept override {
            isDecomposable_ = decomposable;
            return true;
        }
        bool getDecomposable() const noexcept override { return isDecomposable_; }
        bool setInput(int32_t index, api::ITensor& input) noexcept override { return face_.giveInput(index, input); }
        int32_t getNbInputs() const noexcept override { return face_.getNbInputs(); }
        api::ITensor* getInput(int32_t index) const noexcept override { return face_.getInput(index); }
        int32_t getNbOutputs() const noexcept override { return face_.getNbOutputs(); }
        api::ITensor* getOutput(int32_t index) const noexcept override { return face_.getOutput(index); }
        bool setName(char const* name) noexcept override {
            face_.setName(name);
            return name != nullptr;
        }
        char const* getName() const noexcept override { return face_.getName(); }
        bool setNormalizationQuantizeScale(api::ITensor&) noexcept override {
            return guarded(face_.reporter(), "IAttention::setNormalizationQuantizeScale",
                           [&]() -> bool { notSupported("quantizing the normalized products of an attention"); });
        }
        api::ITensor* getNormalizationQuantizeScale() const noexcept override { return nullptr; }
        bool setNormalizationQuantizeToType(api::DataType) noexcept override {
            return guarded(face_.reporter(), "IAttention::setNormalizationQuantizeToType",
                           [&]() -> bool { notSupported("quantizing the normalized products of an attention"); });
        }
        api::DataType getNormalizationQuantizeToType() const noexcept override { return api::DataType::kFLOAT; }
        bool setMetadata(char const* metadata) noexcept override {
            face_.setMetadata(metadata);
            return metadata != nullptr;
        }
        char const* getMetadata() const noexcept override { return face_.getMetadata(); }
        bool setNbRanks(int32_t ranks) noexcept override { return face_.setNbRanks(ranks); }
        int32_t getNbRanks() const noexcept override { return face_.getNbRanks(); }

    private:
        AttentionFace& face_;
        bool isDecomposable_ = false; // whether or not: there is always a kernel
    };

    static void expectOneOf(bool mask, bool causal) {
        if (mask && causal)
            fail(ErrorCode::InvalidArgument, "a mask and causal; give one of them, or a mask that is causal too");
    }

    bool giveInput(int32_t index, api::ITensor& tensor) noexcept {
        return edit("setInput", [&](Attention& layer) {
            if (index == Attention::kInputs) notSupported("quantizing the normalized products of an attention");
            if (index < 0 || index > Attention::kInputs) fail(ErrorCode::InvalidArgument, "there is no input ", index);
            expectOneOf(index == Attention::kMask, layer.causal);
            network().graph().setInput(&node(), index, &network().tensorOf(tensor));
        });
    }

    mutable Whole whole_{*this};
};

} // namespace

FaceEntry attentionFace() { return faceEntry<AttentionFace>(); }

api::IAttention* Network::addAttention(ITensor& query, ITensor& key, ITensor& value,
                                       api::AttentionNormalizationOp normOp, bool causal) noexcept {
    return guarded(reporter_, "addAttention", [&] {
        Attention layer;
        layer.normalization = fromApi(normOp);
        layer.causal = causal;
        return addFace<AttentionFace>({&query, &key, &value}, layer)->getAttention();
    });
}

} // namespace tenon::trt
