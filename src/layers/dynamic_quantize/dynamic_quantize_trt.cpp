// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/dynamic_quantize/dynamic_quantize.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

std::vector<int64_t> extentsOf(Dims64 const& blockShape) {
    Dims const blocks = fromApi(blockShape);
    return {blocks.begin(), blocks.end()};
}

class DynamicQuantizeFace final
    : public FaceOf<api::IDynamicQuantizeLayer, DynamicQuantize, api::LayerType::kDYNAMIC_QUANTIZE> {
public:
    using FaceOf::FaceOf;

    void setToType(api::DataType toType) noexcept override {
        edit("setToType", [&](DynamicQuantize& layer) { layer.to = fromApi(toType); });
    }
    api::DataType getToType() const noexcept override { return toApi(layer().to); }
    void setScaleType(api::DataType scaleType) noexcept override {
        edit("setScaleType", [&](DynamicQuantize& layer) { layer.scaleType = fromApi(scaleType); });
    }
    api::DataType getScaleType() const noexcept override { return toApi(layer().scaleType); }
    void setAxis(int32_t axis) noexcept override {
        edit("setAxis", [&](DynamicQuantize& layer) { layer.axis = axis; });
    }
    int32_t getAxis() const noexcept override { return static_cast<int32_t>(layer().axis); }
    void setBlockSize(int32_t size) noexcept override {
        edit("setBlockSize", [&](DynamicQuantize& layer) { layer.blockSize = size; });
    }
    int32_t getBlockSize() const noexcept override { return static_cast<int32_t>(layer().blockSize); }

protected:
    void setBlockShape_(Dims64 const& blockShape) noexcept override {
        edit("setBlockShape", [&](DynamicQuantize& layer) { layer.blocks = extentsOf(blockShape); });
    }
    Dims64 getBlockShape_() const noexcept override {
        return layer().blocks.empty() ? noDims() : toApi(Dims(std::span(layer().blocks)));
    }
};

} // namespace

FaceEntry dynamicQuantizeFace() { return faceEntry<DynamicQuantizeFace>(); }

api::IDynamicQuantizeLayer* Network::addDynamicQuantize(ITensor& input, int32_t axis, int32_t blockSize,
                                                        api::DataType outputType, api::DataType scaleType) noexcept {
    return guarded(reporter_, "addDynamicQuantize", [&] {
        expectExplicitBatch("addDynamicQuantize");
        DynamicQuantize layer;
        layer.axis = axis;
        layer.blockSize = blockSize;
        layer.to = fromApi(outputType);
        layer.scaleType = fromApi(scaleType);
        return addFace<DynamicQuantizeFace>({&input}, layer);
    });
}

api::IDynamicQuantizeLayer* Network::addDynamicQuantizeV2_(ITensor& input, Dims64 const& blockShape,
                                                           api::DataType outputType, api::DataType scaleType) noexcept {
    return guarded(reporter_, "addDynamicQuantizeV2", [&] {
        expectExplicitBatch("addDynamicQuantizeV2");
        DynamicQuantize layer;
        layer.blocks = extentsOf(blockShape);
        layer.to = fromApi(outputType);
        layer.scaleType = fromApi(scaleType);
        return addFace<DynamicQuantizeFace>({&input}, layer);
    });
}

} // namespace tenon::trt
