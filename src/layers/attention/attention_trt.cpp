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

/// The API's indices of inputs: the scale of the weights is between mask and lengths.
enum ApiInput : int32_t { kMask = 3, kWeightScale, kQueryLengths, kKeyLengths, kApiInputs };
constexpr int32_t kInputOf[kApiInputs]{Attention::kQuery,     Attention::kKey,         Attention::kValue,
                                       Attention::kMask,      Attention::kWeightScale, Attention::kQueryLengths,
                                       Attention::kKeyLengths};
bool isInput(int32_t index) { return index >= 0 && index < kApiInputs; }

/// The layer that the network exposes, and its IAttention. Inputs and outputs are the same for both.
class AttentionFace final : public FaceOf<api::IAttentionOutputLayer, Attention, api::LayerType::kATTENTION_OUTPUT> {
public:
    using FaceOf::FaceOf;

    api::IAttention* getAttention() const noexcept override { return &whole_; }
    void setInput(int32_t index, api::ITensor& tensor) noexcept override { give("setInput", index, &tensor); }
    int32_t getNbInputs() const noexcept override {
        int32_t count = kApiInputs;
        while (count > 0 && node().input(kInputOf[count - 1]) == nullptr) --count;
        return count;
    }
    api::ITensor* getInput(int32_t index) const noexcept override {
        return isInput(index) ? inputAt(kInputOf[index]) : nullptr;
    }

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
        bool setMask(api::ITensor& mask) noexcept override { return face_.give("setMask", kMask, &mask); }
        api::ITensor* getMask() noexcept override { return face_.getInput(kMask); }
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
            return face_.give("setQueryLengths", kQueryLengths, lengths);
        }
        api::ITensor* getQueryLengths() const noexcept override { return face_.getInput(kQueryLengths); }
        bool setKeyValueLengths(api::ITensor* lengths) noexcept override {
            return face_.give("setKeyValueLengths", kKeyLengths, lengths);
        }
        api::ITensor* getKeyValueLengths() const noexcept override { return face_.getInput(kKeyLengths); }
        bool setDecomposable(bool decomposable) noexcept override {
            isDecomposable_ = decomposable;
            return true;
        }
        bool getDecomposable() const noexcept override { return isDecomposable_; }
        bool setInput(int32_t index, api::ITensor& input) noexcept override {
            return face_.give("setInput", index, &input);
        }
        int32_t getNbInputs() const noexcept override { return face_.getNbInputs(); }
        api::ITensor* getInput(int32_t index) const noexcept override { return face_.getInput(index); }
        int32_t getNbOutputs() const noexcept override { return face_.getNbOutputs(); }
        api::ITensor* getOutput(int32_t index) const noexcept override { return face_.getOutput(index); }
        bool setName(char const* name) noexcept override {
            face_.setName(name);
            return name != nullptr;
        }
        char const* getName() const noexcept override { return face_.getName(); }
        bool setNormalizationQuantizeScale(api::ITensor& scale) noexcept override {
            return face_.give("setNormalizationQuantizeScale", kWeightScale, &scale);
        }
        api::ITensor* getNormalizationQuantizeScale() const noexcept override { return face_.getInput(kWeightScale); }
        bool setNormalizationQuantizeToType(api::DataType type) noexcept override {
            return face_.edit("setNormalizationQuantizeToType", [&](Attention& layer) {
                DataType const to = trt::fromApi(type);
                expectQuantizesTo(to);
                layer.quantizeTo = to;
            });
        }
        api::DataType getNormalizationQuantizeToType() const noexcept override {
            return face_.ask("getNormalizationQuantizeToType",
                             [](Attention const& layer) { return toApi(layer.quantizeTo); });
        }
        bool setMetadata(char const* metadata) noexcept override {
            face_.setMetadata(metadata);
            return metadata != nullptr;
        }
        char const* getMetadata() const noexcept override { return face_.getMetadata(); }
        bool setNbRanks(int32_t ranks) noexcept override {
            return face_.edit("setNbRanks", [&](Attention& layer) { layer.ranks = checkedRanks(ranks); });
        }
        int32_t getNbRanks() const noexcept override { return static_cast<int32_t>(face_.layer().ranks); }

    private:
        AttentionFace& face_;
        bool isDecomposable_ = false; // either way: there is always a kernel
    };

    static void expectOneOf(bool mask, bool causal) {
        if (mask && causal)
            fail(ErrorCode::InvalidArgument, "a mask and causal; set one of them, or use a mask that is causal too");
    }

    /// Null removes an optional input.
    bool give(char const* method, int32_t index, api::ITensor* tensor) noexcept {
        return edit(method, [&](Attention& layer) {
            if (!isInput(index))
                fail(ErrorCode::InvalidArgument, "there is no input ", index, "; expected 0 to ", kApiInputs - 1);
            expectOneOf(index == kMask, layer.causal != Attention::Causal::None);
            int32_t const input = kInputOf[index];
            bool const isThere = static_cast<size_t>(input) < node().inputs().size();
            if (tensor != nullptr || isThere)
                network().graph().setInput(&node(), input, tensor ? &network().tensorOf(*tensor) : nullptr);
        });
    }

    template <class Kind> bool giveCausal(char const* method, Kind&& kind) noexcept {
        return edit(method, [&](Attention& layer) {
            Attention::Causal const causal = kind();
            expectOneOf(node().input(Attention::kMask) != nullptr, causal != Attention::Causal::None);
            layer.causal = causal;
        });
    }

    mutable Whole whole_{*this};
};

} // namespace

FaceEntry attentionFace() { return faceEntry<AttentionFace>(); }

namespace {

/// Tensors of rank 3 are packed, which is specified later.
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
