// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scale/scale.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

enum Input { kX, kShift, kScale, kPower };

/// Weights of a mode for an X of this shape: [1], [C], or the axes from the channels on.
Dims weightDims(Scale const& layer, Shape const& x, Weights const& weights) {
    if (layer.mode != Scale::Mode::Elementwise) return {weights.count};
    Dims dims;
    for (int axis = resolveAxis(layer.channelAxis, static_cast<int>(x.size())); axis < static_cast<int>(x.size());
         ++axis)
        dims.push(x[static_cast<size_t>(axis)].constant());
    return dims;
}

class ScaleFace final : public FaceOf<api::IScaleLayer, Scale, api::LayerType::kSCALE> {
public:
    using FaceOf::FaceOf;

    void setMode(api::ScaleMode mode) noexcept override {
        edit("setMode", [&](Scale& layer) { layer.mode = checkedEnum<Scale::Mode>(mode, "scale mode"); });
    }
    api::ScaleMode getMode() const noexcept override { return sameEnum<api::ScaleMode>(layer().mode); }
    void setShift(Weights shift) noexcept override { give("setShift", kShift, shift); }
    Weights getShift() const noexcept override { return weightsAt(kShift); }
    void setScale(Weights scale) noexcept override { give("setScale", kScale, scale); }
    Weights getScale() const noexcept override { return weightsAt(kScale); }
    void setPower(Weights power) noexcept override { give("setPower", kPower, power); }
    Weights getPower() const noexcept override { return weightsAt(kPower); }
    int32_t getChannelAxis() const noexcept override {
        return ask("getChannelAxis", [&](Scale const& layer) { return inputAxes().toApi(layer.channelAxis); });
    }
    void setChannelAxis(int32_t channelAxis) noexcept override {
        edit("setChannelAxis", [&](Scale& layer) { layer.channelAxis = inputAxes().fromApi(channelAxis); });
    }

    /// The values in the shape that results from all setters.
    void settle() override {
        for (Input input : {kShift, kScale, kPower}) {
            Tensor const* given = node().input(input);
            if (given == nullptr || !network().isWeights(*given)) continue;
            Weights const values = weightsAt(input);
            Dims const dims = weightDims(layer(), node().input(kX)->shape, values);
            if (given->literal()->dims() != dims) network().replaceWeights(node(), input, values, dims);
        }
    }

private:
    void give(char const* method, Input input, Weights const& weights) noexcept {
        edit(method, [&](Scale&) { network().replaceWeights(node(), input, weights, {weights.count}); });
    }
};

} // namespace

FaceEntry scaleFace() { return faceEntry<ScaleFace>(); }

api::IScaleLayer* Network::addScaleNd(ITensor& input, api::ScaleMode mode, Weights shift, Weights scale, Weights power,
                                      int32_t channelAxis) noexcept {
    return guarded(reporter_, "addScale", [&] {
        Scale layer;
        layer.mode = checkedEnum<Scale::Mode>(mode, "scale mode");
        layer.channelAxis = axesOf(input).fromApi(channelAxis);
        std::vector<Tensor*> inputs{&tensorOf(input)};
        for (Weights const& weights : {shift, scale, power})
            inputs.push_back(addWeights(weights, weightDims(layer, shapeOf(*inputs[0]), weights)));
        return addNode<ScaleFace>(std::move(inputs), layer);
    });
}

api::IScaleLayer* Network::addScale(ITensor& input, api::ScaleMode mode, Weights shift, Weights scale,
                                    Weights power) noexcept {
    return addScaleNd(input, mode, shift, scale, power, hasImplicitBatch() ? 0 : 1);
}

} // namespace tenon::trt
