// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/shape/shape.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class ShapeFace final : public FaceOf<api::IShapeLayer, ShapeOf, api::LayerType::kSHAPE> {
public:
    using FaceOf::FaceOf;
};

} // namespace

FaceEntry shapeFace() { return faceEntry<ShapeFace>(); }

api::IShapeLayer* Network::addShape(ITensor& input) noexcept { return addShapeOf_(input, api::DataType::kINT64); }

api::IShapeLayer* Network::addShapeOf_(ITensor& input, api::DataType type) noexcept {
    return guarded(reporter_, "addShape", [&] {
        expectExplicitBatch("addShape");
        ShapeOf layer;
        layer.type = fromApi(type);
        return addFace<ShapeFace>({&input}, layer);
    });
}

} // namespace tenon::trt
