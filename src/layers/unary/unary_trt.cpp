// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/unary/unary.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

PointwiseOp fromApi(api::UnaryOperation op) { return checkedEnum(op, "unary operation", PointwiseOp::Exp); }

class UnaryFace final : public FaceOf<api::IUnaryLayer, Unary, api::LayerType::kUNARY> {
public:
    using FaceOf::FaceOf;

    void setOperation(api::UnaryOperation op) noexcept override {
        edit("setOperation", [&](Unary& layer) { layer.operation = fromApi(op); });
    }
    api::UnaryOperation getOperation() const noexcept override {
        return sameEnumSince<api::UnaryOperation>(PointwiseOp::Exp, layer().operation);
    }
};

} // namespace

FaceEntry unaryFace() { return faceEntry<UnaryFace>(); }

api::IUnaryLayer* Network::addUnary(ITensor& input, api::UnaryOperation operation) noexcept {
    return guarded(reporter_, "addUnary", [&] {
        Unary layer;
        layer.operation = fromApi(operation);
        return addFace<UnaryFace>({&input}, layer);
    });
}

} // namespace tenon::trt
