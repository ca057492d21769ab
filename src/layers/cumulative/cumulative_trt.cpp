// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cumulative/cumulative.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class CumulativeFace final : public FaceOf<api::ICumulativeLayer, Cumulative, api::LayerType::kCUMULATIVE> {
public:
    using FaceOf::FaceOf;

    bool setOperation(api::CumulativeOperation op) noexcept override {
        return edit("setOperation", [&](Cumulative& layer) {
            layer.operation = checkedEnum<Cumulative::Operation>(op, "cumulative operation");
        });
    }
    /// A number beyond the enumerators stands for one that only ONNX has.
    api::CumulativeOperation getOperation() const noexcept override {
        return sameEnum<api::CumulativeOperation>(layer().operation);
    }
    void setExclusive(bool exclusive) noexcept override {
        edit("setExclusive", [&](Cumulative& layer) { layer.exclusive = exclusive; });
    }
    bool getExclusive() const noexcept override { return layer().exclusive; }
    void setReverse(bool reverse) noexcept override {
        edit("setReverse", [&](Cumulative& layer) { layer.reverse = reverse; });
    }
    bool getReverse() const noexcept override { return layer().reverse; }
};

} // namespace

FaceEntry cumulativeFace() { return faceEntry<CumulativeFace>(); }

api::ICumulativeLayer* Network::addCumulative(ITensor& input, ITensor& axis, api::CumulativeOperation operation,
                                              bool exclusive, bool reverse) noexcept {
    return guarded(reporter_, "addCumulative", [&] {
        Cumulative layer;
        layer.operation = checkedEnum<Cumulative::Operation>(operation, "cumulative operation");
        layer.exclusive = exclusive;
        layer.reverse = reverse;
        return addFace<CumulativeFace>({&input, &axis}, layer);
    });
}

} // namespace tenon::trt
