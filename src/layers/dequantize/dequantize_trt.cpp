// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dequantize/dequantize.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class DequantizeFace final : public FaceOf<api::IDequantizeLayer, Dequantize, api::LayerType::kDEQUANTIZE> {
public:
    using FaceOf::FaceOf;

    int32_t getAxis() const noexcept override { return static_cast<int32_t>(layer().axis); }
    void setAxis(int32_t axis) noexcept override {
        edit("setAxis", [&](Dequantize& layer) { layer.axis = axis; });
    }
    void setToType(api::DataType toType) noexcept override {
        edit("setToType", [&](Dequantize& layer) { layer.to = fromApi(toType); });
    }
    api::DataType getToType() const noexcept override { return toApi(layer().to); }

protected:
    bool setBlockShape_(Dims64 const& blockShape) noexcept override {
        return edit("setBlockShape", [&](Dequantize& layer) {
            Dims const blocks = fromApi(blockShape);
            auto const rank = static_cast<int>(network().shapeOf(*node().input(0)).size());
            if (blocks.rank() != rank)
                fail(ErrorCode::InvalidArgument, "a block ", blocks, " of ", blocks.rank(), " dimensions; expected ",
                     rank, ", as the input has");
            layer.blocks.assign(blocks.begin(), blocks.end());
        });
    }
    Dims64 getBlockShape_() const noexcept override {
        return layer().blocks.empty() ? noDims() : toApi(Dims(std::span(layer().blocks)));
    }
};

} // namespace

FaceEntry dequantizeFace() { return faceEntry<DequantizeFace>(); }

// Whether the shape of the scale fits depends on the axis, which is set afterwards.
api::IDequantizeLayer* Network::addDequantize(ITensor& input, ITensor& scale, api::DataType outputType) noexcept {
    return guarded(reporter_, "addDequantize", [&] {
        expectExplicitBatch("addDequantize");
        Dequantize layer;
        layer.to = fromApi(outputType);
        return addFace<DequantizeFace>({&input, &scale}, layer, false);
    });
}

api::IDequantizeLayer* Network::addDequantize(ITensor& input, ITensor& scale) noexcept {
    return addDequantize(input, scale, api::DataType::kFLOAT);
}

} // namespace tenon::trt
