// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unsqueeze/unsqueeze.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class UnsqueezeFace final : public FaceOf<api::IUnsqueezeLayer, Unsqueeze, api::LayerType::kUNSQUEEZE> {
public:
    using FaceOf::FaceOf;
};

} // namespace

FaceEntry unsqueezeFace() { return faceEntry<UnsqueezeFace>(); }

api::IUnsqueezeLayer* Network::addUnsqueeze(ITensor& input, ITensor& axes) noexcept {
    return add<UnsqueezeFace>("addUnsqueeze", {&input, &axes}, Unsqueeze());
}

} // namespace tenon::trt
