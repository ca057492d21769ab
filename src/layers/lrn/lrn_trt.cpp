// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/lrn/lrn.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

int64_t checkedWindow(int64_t window) {
    if (window % 2 == 0 || window < 1 || window > 15)
        fail(ErrorCode::InvalidArgument, "a window of ", window, " channels; expected an odd number from 1 to 15");
    return window;
}

class LrnFace final : public FaceOf<api::ILRNLayer, Lrn, api::LayerType::kLRN> {
public:
    using FaceOf::FaceOf;

    void setWindowSize(int64_t windowSize) noexcept override {
        edit("setWindowSize", [&](Lrn& layer) { layer.window = checkedWindow(windowSize); });
    }
    int64_t getWindowSize() const noexcept override { return layer().window; }
    void setAlpha(float alpha) noexcept override {
        edit("setAlpha", [&](Lrn& layer) { layer.alpha = alpha; });
    }
    float getAlpha() const noexcept override { return static_cast<float>(layer().alpha); }
    void setBeta(float beta) noexcept override {
        edit("setBeta", [&](Lrn& layer) { layer.beta = beta; });
    }
    float getBeta() const noexcept override { return static_cast<float>(layer().beta); }
    void setK(float k) noexcept override {
        edit("setK", [&](Lrn& layer) { layer.k = k; });
    }
    float getK() const noexcept override { return static_cast<float>(layer().k); }
};

} // namespace

FaceEntry lrnFace() { return faceEntry<LrnFace>(); }

api::ILRNLayer* Network::addLRN(ITensor& input, int64_t window, float alpha, float beta, float k) noexcept {
    return guarded(reporter_, "addLRN", [&] {
        Lrn layer;
        layer.window = checkedWindow(window);
        layer.alpha = alpha;
        layer.beta = beta;
        layer.k = k;
        return addFace<LrnFace>({&input}, layer);
    });
}

} // namespace tenon::trt
