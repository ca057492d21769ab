// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/kv_cache_update/kv_cache_update.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

enum class Mode { Linear, Circular }; // the API's numbers

class KVCacheUpdateFace final
    : public FaceOf<api::IKVCacheUpdateLayer, KVCacheUpdate, api::LayerType::kKVCACHE_UPDATE> {
public:
    using FaceOf::FaceOf;

    bool setCacheMode(api::KVCacheMode cacheMode) noexcept override {
        return edit("setCacheMode", [&](KVCacheUpdate& layer) {
            checkedEnum<Mode>(cacheMode, "cache mode");
            layer.circular = false;
        });
    }
    /// A number above the enumerators represents a circular cache, which only ONNX has.
    api::KVCacheMode getCacheMode() const noexcept override {
        return sameEnum<api::KVCacheMode>(layer().circular ? Mode::Circular : Mode::Linear);
    }
    bool setUpdateForm(api::AttentionIOForm form) noexcept override {
        return edit("setUpdateForm", [&](KVCacheUpdate& layer) {
            layer.packed = checkedEnum<api::AttentionIOForm>(form, "form") == api::AttentionIOForm::kPACKED_NHD;
        });
    }
    api::AttentionIOForm getUpdateForm() const noexcept override {
        return layer().packed ? api::AttentionIOForm::kPACKED_NHD : api::AttentionIOForm::kPADDED_BHND;
    }
    bool setUpdateLengths(api::ITensor* lengths) noexcept override {
        return edit("setUpdateLengths", [&](KVCacheUpdate&) {
            Tensor* const tensor = lengths ? &network().tensorOf(*lengths) : nullptr;
            network().graph().setInput(&node(), KVCacheUpdate::kFrom, tensor);
        });
    }
    api::ITensor* getUpdateLengths() const noexcept override {
        return node().input(KVCacheUpdate::kFrom) ? inputAt(KVCacheUpdate::kFrom) : nullptr;
    }
};

} // namespace

FaceEntry kvCacheUpdateFace() { return faceEntry<KVCacheUpdateFace>(); }

api::IKVCacheUpdateLayer* Network::addKVCacheUpdate(ITensor& cache, ITensor& update, ITensor& writeIndices,
                                                    api::KVCacheMode cacheMode) noexcept {
    return guarded(reporter_, "addKVCacheUpdate", [&] {
        checkedEnum<Mode>(cacheMode, "cache mode");
        // Whether the update fits depends on its form, which is set afterwards.
        return addFace<KVCacheUpdateFace>({&cache, &update, &writeIndices}, KVCacheUpdate(), false);
    });
}

} // namespace tenon::trt
