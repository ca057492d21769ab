// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"
#include "layers/block_scales.h"
#include "trt/network/network.h"

#include <algorithm>

namespace tenon::trt {

/// The common part of IQuantizeLayer and IDequantizeLayer: a type to convert to, and which scale belongs to which
/// element.
template <class Interface, class K, api::LayerType type> class BlockScalesFace : public FaceOf<Interface, K, type> {
public:
    using FaceOf<Interface, K, type>::FaceOf;

    /// Applications pass the zero point, which must be 0, in floating point too; the layer then has none.
    void setInput(int32_t index, ITensor& tensor) noexcept override {
        constexpr int32_t kZeroPoint = 2;
        if (index != kZeroPoint || !isZero(tensor)) return FaceOf<Interface, K, type>::setInput(index, tensor);
        if (this->node().input(kZeroPoint) == nullptr) return;
        guarded(this->reporter(), "ILayer::setInput", [&] {
            this->network().graph().setInput(&this->node(), kZeroPoint, nullptr);
            this->changed();
        });
    }

    int32_t getAxis() const noexcept override { return static_cast<int32_t>(this->layer().axis); }
    void setAxis(int32_t axis) noexcept override {
        this->edit("setAxis", [&](K& layer) { layer.axis = axis; });
        guarded(this->reporter(), "setAxis", [&] {
            Node const& node = this->node();
            for (int i : {0, 1}) this->network().refresh(node.input(i));
            locate([&] { return text(node); }, [&] { expectListedAxis(operandsOf(node), axis); });
        });
    }
    void setToType(api::DataType toType) noexcept override {
        this->edit("setToType", [&](K& layer) { layer.to = fromApi(toType); });
    }
    api::DataType getToType() const noexcept override { return toApi(this->layer().to); }

    /// Whether the shape of the scale fits depends on the axis, which is set later.
    template <class Face>
    static Interface* add(Network& network, char const* method, std::vector<ITensor*> const& inputs, api::DataType to) {
        return guarded(network.reporter(), method, [&] {
            network.expectExplicitBatch(method);
            Face::expectInput(network, *inputs[0]);
            expectSomeAxis(network.shapeOf(network.tensorOf(*inputs[0])),
                           network.shapeOf(network.tensorOf(*inputs[1])));
            K layer;
            layer.to = fromApi(to);
            return network.addFace<Face>(inputs, layer, false);
        });
    }

    /// Throws an Error for types that the layer does not accept.
    static void expectInput(Network& /*network*/, ITensor const& /*input*/) {}

protected:
    bool setBlockShape_(Dims64 const& blockShape) noexcept override {
        return this->edit("setBlockShape", [&](K& layer) {
            Dims const blocks = fromApi(blockShape);
            auto const rank = static_cast<int>(this->network().shapeOf(*this->node().input(0)).size());
            if (blocks.rank() != rank)
                fail(ErrorCode::InvalidArgument, "a block ", blocks, " of ", blocks.rank(), " dimensions; expected ",
                     rank, ", as the input has");
            layer.blocks.assign(blocks.begin(), blocks.end());
        });
    }
    Dims64 getBlockShape_() const noexcept override {
        auto const& blocks = this->layer().blocks;
        return blocks.empty() ? noDims() : toApi(Dims(std::span(blocks)));
    }

private:
    /// A list of scales belongs to one of the axes.
    static void expectSomeAxis(Shape const& x, Shape const& scales) {
        if (scales.size() != 1 || !scales[0].isConstant() || scales[0] == DimExpr(1) || x.size() < 2) return;
        auto const mayFit = [&](DimExpr const& extent) { return !extent.isConstant() || extent == scales[0]; };
        if (std::ranges::none_of(x, mayFit))
            fail(ErrorCode::InvalidArgument, "there are ", scales[0], " scales for an input ", x,
                 "; expected 1, or the extent of one of its axes");
    }

    bool isZero(ITensor const& tensor) const noexcept {
        return guarded(this->reporter(), "ILayer::setInput", [&] {
            Literal const* const literal = this->network().tensorOf(tensor).literal();
            return literal && isFloat(literal->type()) &&
                   std::ranges::all_of(literal->toFloat(), [](float zero) { return zero == 0; });
        });
    }
};

} // namespace tenon::trt
