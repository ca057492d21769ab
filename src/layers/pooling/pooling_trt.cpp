// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/pooling/pooling.h"

#include "trt/network/window_face.h"

namespace tenon::trt {
namespace {

class PoolingFace final : public WindowFace<api::IPoolingLayer, Pooling, api::LayerType::kPOOLING> {
public:
    using WindowFace::WindowFace;

    void setPoolingType(api::PoolingType type) noexcept override {
        edit("setPoolingType", [&](Pooling& layer) { layer.type = checkedEnum<PoolingType>(type, "pooling type"); });
    }
    /// A number above the enumerators represents one that only ONNX has.
    api::PoolingType getPoolingType() const noexcept override { return sameEnum<api::PoolingType>(layer().type); }
    void setBlendFactor(float blendFactor) noexcept override {
        edit("setBlendFactor", [&](Pooling& layer) {
            if (!(blendFactor >= 0 && blendFactor <= 1))
                fail(ErrorCode::InvalidArgument, "blend factor ", double{blendFactor}, "; expected 0 to 1");
            layer.blendFactor = blendFactor;
        });
    }
    float getBlendFactor() const noexcept override { return static_cast<float>(layer().blendFactor); }
    void setAverageCountExcludesPadding(bool exclusive) noexcept override {
        edit("setAverageCountExcludesPadding", [&](Pooling& layer) { layer.averageCountExcludesPadding = exclusive; });
    }
    bool getAverageCountExcludesPadding() const noexcept override { return layer().averageCountExcludesPadding; }

protected:
    void setWindowSizeNd_(Dims64 const& windowSize) noexcept override {
        edit("setWindowSizeNd", [&](Pooling& layer) { layer.windowSize = spatialOf(windowSize); });
    }
    Dims64 getWindowSizeNd_() const noexcept override { return toApi(Dims(layer().windowSize)); }

    std::vector<int64_t> const& kernelExtents() const override { return layer().windowSize; }
};

} // namespace

FaceEntry poolingFace() { return faceEntry<PoolingFace>(); }

api::IPoolingLayer* Network::addPoolingNd_(ITensor& input, api::PoolingType type, Dims64 const& windowSize) noexcept {
    return guarded(reporter_, "addPoolingNd", [&] {
        Pooling layer;
        layer.type = checkedEnum<PoolingType>(type, "pooling type");
        layer.windowSize = spatialOf(windowSize);
        // A window larger than the input fits once padding is set.
        return addFace<PoolingFace>({&input}, layer, false);
    });
}

} // namespace tenon::trt
