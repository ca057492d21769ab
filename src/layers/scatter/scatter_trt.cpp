// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scatter/scatter.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class ScatterFace final : public FaceOf<api::IScatterLayer, Scatter, api::LayerType::kSCATTER> {
public:
    using FaceOf::FaceOf;

    void setMode(api::ScatterMode mode) noexcept override {
        edit("setMode", [&](Scatter& layer) { layer.mode = checkedEnum<Scatter::Mode>(mode, "scatter mode"); });
    }
    api::ScatterMode getMode() const noexcept override { return sameEnum<api::ScatterMode>(layer().mode); }
    void setAxis(int32_t axis) noexcept override {
        edit("setAxis", [&](Scatter& layer) { layer.axis = inputAxes().fromApi(axis); });
    }
    int32_t getAxis() const noexcept override {
        return ask("getAxis", [&](Scatter const& layer) { return inputAxes().toApi(layer.axis); });
    }
};

} // namespace

FaceEntry scatterFace() { return faceEntry<ScatterFace>(); }

api::IScatterLayer* Network::addScatter(ITensor& data, ITensor& indices, ITensor& updates,
                                        api::ScatterMode mode) noexcept {
    return guarded(reporter_, "addScatter", [&] {
        expectExplicitBatch("addScatter");
        Scatter layer;
        layer.mode = checkedEnum<Scatter::Mode>(mode, "scatter mode");
        // Whether the shapes fit may depend on the axis, which is set afterwards.
        return addFace<ScatterFace>({&data, &indices, &updates}, layer, false);
    });
}

} // namespace tenon::trt
