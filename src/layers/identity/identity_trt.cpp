// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/identity/identity.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class IdentityFace final : public FaceOf<api::IIdentityLayer, Identity, api::LayerType::kIDENTITY> {
public:
    using FaceOf::FaceOf;
};

} // namespace

FaceEntry identityFace() { return faceEntry<IdentityFace>(); }

api::IIdentityLayer* Network::addIdentity(ITensor& input) noexcept {
    return add<IdentityFace>("addIdentity", {&input}, Identity());
}

} // namespace tenon::trt
