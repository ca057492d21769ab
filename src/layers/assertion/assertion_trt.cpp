// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/assertion/assertion.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class AssertionFace final : public FaceOf<api::IAssertionLayer, Assertion, api::LayerType::kASSERTION> {
public:
    using FaceOf::FaceOf;

    void setMessage(char const* message) noexcept override {
        edit("setMessage", [&](Assertion& layer) { layer.message = expectText(message, "message"); });
    }
    char const* getMessage() const noexcept override { return layer().message.c_str(); }
};

} // namespace

FaceEntry assertionFace() { return faceEntry<AssertionFace>(); }

api::IAssertionLayer* Network::addAssertion(ITensor& condition, char const* message) noexcept {
    return guarded(reporter_, "addAssertion", [&] {
        Assertion layer;
        layer.message = expectText(message, "message");
        // The condition is checked when the network is built: until then the message may be set.
        return addFace<AssertionFace>({&condition}, layer, false, 0);
    });
}

} // namespace tenon::trt
