// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rotary_embedding/rotary_embedding.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

int64_t turnedOf(int32_t rotaryEmbeddingDim) {
    if (rotaryEmbeddingDim < 0 || rotaryEmbeddingDim % 2 != 0)
        fail(ErrorCode::InvalidArgument, "rotates ", rotaryEmbeddingDim,
             " elements; expected an even number, or 0 for all");
    return rotaryEmbeddingDim;
}

class RotaryEmbeddingFace final
    : public FaceOf<api::IRotaryEmbeddingLayer, RotaryEmbedding, api::LayerType::kROTARY_EMBEDDING> {
public:
    using FaceOf::FaceOf;

    void setInterleaved(bool interleaved) noexcept override {
        edit("setInterleaved", [&](RotaryEmbedding& layer) { layer.interleaved = interleaved; });
    }
    bool getInterleaved() const noexcept override { return layer().interleaved; }
    bool setRotaryEmbeddingDim(int32_t rotaryEmbeddingDim) noexcept override {
        return edit("setRotaryEmbeddingDim",
                    [&](RotaryEmbedding& layer) { layer.turned = turnedOf(rotaryEmbeddingDim); });
    }
    int32_t getRotaryEmbeddingDim() const noexcept override { return static_cast<int32_t>(layer().turned); }
};

} // namespace

FaceEntry rotaryEmbeddingFace() { return faceEntry<RotaryEmbeddingFace>(); }

api::IRotaryEmbeddingLayer* Network::addRotaryEmbedding(ITensor& input, ITensor& cosCache, ITensor& sinCache,
                                                        bool interleaved, int32_t rotaryEmbeddingDim) noexcept {
    return guarded(reporter_, "addRotaryEmbedding", [&] {
        RotaryEmbedding layer;
        layer.interleaved = interleaved;
        layer.turned = turnedOf(rotaryEmbeddingDim);
        return addFace<RotaryEmbeddingFace>({&input, &cosCache, &sinCache}, layer, false); // positions may follow
    });
}

} // namespace tenon::trt
