// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/ragged_softmax/ragged_softmax.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class RaggedSoftMaxFace final
    : public FaceOf<api::IRaggedSoftMaxLayer, RaggedSoftmax, api::LayerType::kRAGGED_SOFTMAX> {
public:
    using FaceOf::FaceOf;
};

} // namespace

FaceEntry raggedSoftmaxFace() { return faceEntry<RaggedSoftMaxFace>(); }

api::IRaggedSoftMaxLayer* Network::addRaggedSoftMax(ITensor& input, ITensor& bounds) noexcept {
    return add<RaggedSoftMaxFace>("addRaggedSoftMax", {&input, &bounds}, RaggedSoftmax());
}

} // namespace tenon::trt
