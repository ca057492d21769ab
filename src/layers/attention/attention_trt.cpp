// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention.h"

#include "trt/edge/convert.h"
#include "trt/network/network.h"

#include <algorithm>

namespace tenon::trt {
namespace {

constexpr auto kPacked = api::AttentionIOForm::kPACKED_NHD;

Attention::Normalization fromApi(api::AttentionNormalizationOp op) {
    return checkedEnum<Attention::Normalization>(op, "normalization operation");
}

Attention::Causal fromApi(api::CausalMaskKind kind) {
    return checkedEnum<Attention::Causal>(kind, "kind of causal mask");
}

bool isPacked(api::AttentionIOForm form) { return checkedEnum<api::AttentionIOForm>(form, "form") == kPacked; }
api::AttentionIOForm formOf(bool packed) { return packed ? kPacked : api::AttentionIOForm::kPADDED_BHND; }

/// [N,H,S,D], or [all tokens,H,D].
AttentionView viewOf(bool packed) { return packed ? AttentionView{{-1, 1, 0, 2}, 0} : AttentionView{}; }

/// The API has the scale of quantization, which is not there, between mask and lengths.
constexpr int32_t kScale = Attention::kMask + 1;
int32_t toApi(int32_t input) { return input < kScale ? input : input + 1; }

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
            return face_.giveCausal("setCausal",
                                    [&] { return causal ? Attention::Causal::UpperLeft : Attention::Causal::None; });
        }
        bool getCausal() const noexcept override { return getCausalKind() != api::CausalMaskKind::kNONE; }
        bool setCausalKind(api::CausalMaskKind kind) noexcept override {
            return face_.giveCausal("setCausalKind", [&] { return fromApi(kind); });
        }
        api::CausalMaskKind getCausalKind() const noexcept override {
            return face_.ask("getCausalKind",
                             [&](Attention const& layer) { return sameEnum<api::CausalMaskKind>(layer.causal); });
        }
        bool setQueryForm(api::AttentionIOForm form) noexcept override {
            return face_.edit("setQueryForm", [&](Attention& layer) {
                layer.packedQueries = isPacked(form);
                layer.query = layer.output = viewOf(layer.packedQueries);
            });
        }
        api::AttentionIOForm getQueryForm() const noexcept override {
            return face_.ask("getQueryForm", [&](Attention const& layer) { return formOf(layer.packedQueries); });
        }
        bool setKeyValueForm(api::AttentionIOForm form) noexcept override {
            return face_.edit("setKeyValueForm", [&](Attention& layer) {
                layer.packedKeys = isPacked(form);
                layer.key = layer.value = viewOf(layer.packedKeys);
            });
        }
        api::AttentionIOForm getKeyValueForm() const noexcept override {
            return face_.ask("getKeyValueForm", [&](Attention const& layer) { return formOf(layer.packedKeys); });
        }
        bool setQueryLengths(api::ITensor* lengths) noexcept override {
            return face_.giveLengths("setQueryLengths", Attention::kQueryLengths, lengths);
        }
        api::ITensor* getQueryLengths() const noexcept override { return face_.getInput(Attention::kQueryLengths); }
        bool setKeyValueLengths(api::ITensor* lengths) noexcept override {
            return face_.giveLengths("setKeyValueLengths", Attention::kKeyLengths, lengths);
        }
        api::ITensor* getKeyValueLengths() const noexcept override { return face_.getInput(Attention::kKeyLengths); }
        bool setDecomposable(bool decomposable) noexcept override {
            isDecomposable_ = decomposable;
            return true;
        }
        bool getDecomposable() const noexcept override { return isDecomposable_; }
        bool setInput(int32_t index, api::ITensor& input) noexcept override { return face_.giveInput(index, input); }
        int32_t getNbInputs() const noexcept override { return toApi(face_.getNbInputs() - 1) + 1; }
        api::ITensor* getInput(int32_t index) const noexcept override {
            if (index == kScale) return nullptr;
            return face_.getInput(index < kScale ? index : index - 1);
        }
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
            if (index == kScale) notSupported("quantizing the normalized products of an attention");
            if (index < 0 || index > toApi(Attention::kKeyLengths))
                fail(ErrorCode::InvalidArgument, "there is no input ", index);
            expectOneOf(index == Attention::kMask, layer.causal != Attention::Causal::None);
            network().graph().setInput(&node(), index < kScale ? index : index - 1, &network().tensorOf(tensor));
        });
    }

    template <class Kind> bool giveCausal(char const* method, Kind&& kind) noexcept {
        return edit(method, [&](Attention& layer) {
            Attention::Causal const causal = kind();
            expectOneOf(node().input(Attention::kMask) != nullptr, causal != Attention::Causal::None);
            layer.causal = causal;
        });
    }

    /// Null removes them.
    bool giveLengths(char const* method, int32_t input, api::ITensor* lengths) noexcept {
        return edit(method, [&](Attention&) {
            bool const isThere = static_cast<size_t>(input) < node().inputs().size();
            if (lengths != nullptr || isThere)
                network().graph().setInput(&node(), input, lengths ? &network().tensorOf(*lengths) : nullptr);
        });
    }

    mutable Whole whole_{*this};
};

} // namespace

FaceEntry attentionFace() { return faceEntry<AttentionFace>(); }

namespace {

/// Tensors of rank 3 are packed, which is said later.
api::IAttention* addAttentionTo(Network& network, std::vector<api::ITensor*> const& inputs, Attention layer) {
    bool const complete = std::ranges::all_of(
        inputs, [&](api::ITensor const* input) { return network.shapeOf(network.tensorOf(*input)).size() != 3; });
    return network.addFace<AttentionFace>(inputs, std::move(layer), complete)->getAttention();
}

} // namespace

api::IAttention* Network::addAttention(ITensor& query, ITensor& key, ITensor& value,
                                       api::AttentionNormalizationOp normOp, bool causal) noexcept {
    return guarded(reporter_, "addAttention", [&] {
        Attention layer;
        layer.normalization = fromApi(normOp);
        if (causal) layer.causal = Attention::Causal::UpperLeft;
        return addAttentionTo(*this, {&query, &key, &value}, std::move(layer));
    });
}

api::IAttention* Network::addAttentionV2_(ITensor& query, ITensor& key, ITensor& value,
                                          api::AttentionNormalizationOp normOp,
                                          api::CausalMaskKind causalKind) noexcept {
    return guarded(reporter_, "addAttentionV2", [&] {
        Attention layer;
        layer.normalization = fromApi(normOp);
        layer.causal = fromApi(causalKind);
        return addAttentionTo(*this, {&query, &key, &value}, std::move(layer));
    });
}

} // namespace tenon::trt
