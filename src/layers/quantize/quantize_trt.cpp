// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/quantize/quantize.h"

#include "trt/network/block_scales_face.h"

namespace tenon::trt {
namespace {

class QuantizeFace final : public BlockScalesFace<api::IQuantizeLayer, Quantize, api::LayerType::kQUANTIZE> {
public:
    using BlockScalesFace::BlockScalesFace;
};

} // namespace

FaceEntry quantizeFace() { return faceEntry<QuantizeFace>(); }

api::IQuantizeLayer* Network::addQuantize(ITensor& input, ITensor& scale, api::DataType outputType) noexcept {
    return QuantizeFace::add<QuantizeFace>(*this, "addQuantize", {&input, &scale}, outputType);
}

api::IQuantizeLayer* Network::addQuantize(ITensor& input, ITensor& scale) noexcept {
    return addQuantize(input, scale, api::DataType::kINT8);
}

} // namespace tenon::trt
