// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "trt/network/block_scales_face.h"

namespace tenon::trt {
namespace {

class DequantizeFace final : public BlockScalesFace<api::IDequantizeLayer, Dequantize, api::LayerType::kDEQUANTIZE> {
public:
    using BlockScalesFace::BlockScalesFace;
};

} // namespace

FaceEntry dequantizeFace() { return faceEntry<DequantizeFace>(); }

api::IDequantizeLayer* Network::addDequantize(ITensor& input, ITensor& scale, api::DataType outputType) noexcept {
    return DequantizeFace::add<DequantizeFace>(*this, "addDequantize", {&input, &scale}, outputType);
}

api::IDequantizeLayer* Network::addDequantize(ITensor& input, ITensor& scale) noexcept {
    return addDequantize(input, scale, api::DataType::kFLOAT);
}

} // namespace tenon::trt
