// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/select/select.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class SelectFace final : public FaceOf<api::ISelectLayer, Select, api::LayerType::kSELECT> {
public:
    using FaceOf::FaceOf;
};

} // namespace

FaceEntry selectFace() { return faceEntry<SelectFace>(); }

api::ISelectLayer* Network::addSelect(ITensor& condition, ITensor& thenInput, ITensor& elseInput) noexcept {
    return add<SelectFace>("addSelect", {&condition, &thenInput, &elseInput}, Select());
}

} // namespace tenon::trt
