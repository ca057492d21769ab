// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class SqueezeFace final : public FaceOf<api::ISqueezeLayer, Squeeze, api::LayerType::kSQUEEZE> {
public:
    using FaceOf::FaceOf;
};

} // namespace

FaceEntry squeezeFace() { return faceEntry<SqueezeFace>(); }

api::ISqueezeLayer* Network::addSqueeze(ITensor& input, ITensor& axes) noexcept {
    return add<SqueezeFace>("addSqueeze", {&input, &axes}, Squeeze());
}

} // namespace tenon::trt
