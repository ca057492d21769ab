// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/non_zero/non_zero.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class NonZeroFace final : public FaceOf<api::INonZeroLayer, NonZero, api::LayerType::kNON_ZERO> {
public:
    using FaceOf::FaceOf;

    bool setIndicesType(api::DataType type) noexcept override {
        return edit("setIndicesType", [&](NonZero& layer) { layer.indices = indicesFromApi(type); });
    }
    api::DataType getIndicesType() const noexcept override { return toApi(layer().indices); }

protected:
    int32_t outputCount() const noexcept override { return 1; } // the API does not expose the number of coordinates
};

api::INonZeroLayer* added(Network& network, api::ITensor& input, api::DataType indicesType) {
    network.expectExplicitBatch("addNonZero");
    NonZero layer;
    layer.indices = indicesFromApi(indicesType);
    return network.addFace<NonZeroFace>({&input}, layer);
}

} // namespace

FaceEntry nonZeroFace() { return faceEntry<NonZeroFace>(); }

api::INonZeroLayer* Network::addNonZero(ITensor& input) noexcept { return addNonZero(input, api::DataType::kINT32); }

api::INonZeroLayer* Network::addNonZero(ITensor& input, api::DataType indicesType) noexcept {
    return guarded(reporter_, "addNonZero", [&] { return added(*this, input, indicesType); });
}

} // namespace tenon::trt
