// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/concatenation/concatenation.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class ConcatenationFace final : public FaceOf<api::IConcatenationLayer, Concatenation, api::LayerType::kCONCATENATION> {
public:
    using FaceOf::FaceOf;

    void setAxis(int32_t axis) noexcept override {
        edit("setAxis", [&](Concatenation& layer) { layer.axis = inputAxes().fromApi(axis); });
    }
    int32_t getAxis() const noexcept override {
        return ask("getAxis", [&](Concatenation const& layer) { return inputAxes().toApi(layer.axis); });
    }
};

} // namespace

FaceEntry concatenationFace() { return faceEntry<ConcatenationFace>(); }

api::IConcatenationLayer* Network::addConcatenation(ITensor* const* inputs, int32_t nbInputs) noexcept {
    return guarded(reporter_, "addConcatenation", [&] {
        auto const tensors = listOf(inputs, nbInputs, "input");
        if (tensors.empty()) fail(ErrorCode::InvalidArgument, "there are no inputs; expected at least one");
        // The inputs need not fit along the default axis: setAxis usually follows.
        auto joined = tensorsOf(tensors);
        repeatSamples(joined);
        return addNode<ConcatenationFace>(std::move(joined), Concatenation::along(axesOf(*tensors[0]).channel()),
                                          false);
    });
}

} // namespace tenon::trt
