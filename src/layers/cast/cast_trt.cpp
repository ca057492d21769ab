// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cast/cast.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class CastFace final : public FaceOf<api::ICastLayer, Cast, api::LayerType::kCAST> {
public:
    using FaceOf::FaceOf;

    void setToType(api::DataType toType) noexcept override {
        edit("setToType", [&](Cast& layer) { layer.to = fromApi(toType); });
    }
    api::DataType getToType() const noexcept override { return toApi(layer().to); }
};

} // namespace

FaceEntry castFace() { return faceEntry<CastFace>(); }

api::ICastLayer* Network::addCast(ITensor& input, api::DataType toType) noexcept {
    return guarded(reporter_, "addCast", [&] {
        Cast layer;
        layer.to = fromApi(toType);
        return addFace<CastFace>({&input}, layer);
    });
}

} // namespace tenon::trt
