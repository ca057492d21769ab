// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reverse_sequence/reverse_sequence.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class ReverseSequenceFace final
    : public FaceOf<api::IReverseSequenceLayer, ReverseSequence, api::LayerType::kREVERSE_SEQUENCE> {
public:
    using FaceOf::FaceOf;

    void setBatchAxis(int32_t batchAxis) noexcept override {
        edit("setBatchAxis", [&](ReverseSequence& layer) { layer.batchAxis = inputAxes().fromApi(batchAxis); });
    }
    int32_t getBatchAxis() const noexcept override {
        return ask("getBatchAxis", [&](ReverseSequence const& layer) { return inputAxes().toApi(layer.batchAxis); });
    }
    void setSequenceAxis(int32_t sequenceAxis) noexcept override {
        edit("setSequenceAxis",
             [&](ReverseSequence& layer) { layer.sequenceAxis = inputAxes().fromApi(sequenceAxis); });
    }
    int32_t getSequenceAxis() const noexcept override {
        return ask("getSequenceAxis",
                   [&](ReverseSequence const& layer) { return inputAxes().toApi(layer.sequenceAxis); });
    }
};

} // namespace

FaceEntry reverseSequenceFace() { return faceEntry<ReverseSequenceFace>(); }

api::IReverseSequenceLayer* Network::addReverseSequence(ITensor& input, ITensor& sequenceLens) noexcept {
    return guarded(reporter_, "addReverseSequence", [&] {
        expectExplicitBatch("addReverseSequence");
        // Whether the lengths fit depends on the axes, which are set afterwards.
        return addFace<ReverseSequenceFace>({&input, &sequenceLens}, ReverseSequence(), false);
    });
}

} // namespace tenon::trt
