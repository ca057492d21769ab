// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "trt/network/block_scales_face.h"

namespace tenon::trt {
namespace {

class DequantizeFace final : public BlockScalesFace<api::IDequantizeLayer, Dequantize, api::LayerType::kDEQUANTIZE> {
public:
    using BlockScalesFace::BlockScalesFace;

    void setInput(int32_t index, ITensor& tensor) noexcept override {
        guarded(reporter(), "ILayer::setInput", [&] {
            if (index == 0) locate([&] { return text(node()); }, [&] { expectInput(network(), tensor); });
            BlockScalesFace::setInput(index, tensor);
        });
    }

    /// The layer itself also supports floating point: models have narrow types in float16. From an application it is an
    /// error.
    static void expectInput(Network& network, ITensor const& input) {
        Tensor const& x = network.tensorOf(input);
        network.refresh(&x);
        if (isFloat(x.type))
            fail(ErrorCode::InvalidArgument, "input 0, ", x.name, ", is ", x.type,
                 "; expected integers of 8, 4 or 32 bits, float8 or float4; addQuantize converts floating point to "
                 "these");
    }
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
