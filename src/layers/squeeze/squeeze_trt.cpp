// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/squeeze/squeeze.h"

#include "layers/constant/constant.h"
#include "trt/network/network.h"

namespace tenon::trt {
namespace {

class SqueezeFace final : public FaceOf<api::ISqueezeLayer, Squeeze, api::LayerType::kSQUEEZE> {
public:
    using FaceOf::FaceOf;

    /// Axes that were found in the definition are not an input from the application.
    int32_t getNbInputs() const noexcept override {
        return node().input(Squeeze::kAxes) && network().isWeights(*node().input(Squeeze::kAxes)) ? 1 : 2;
    }
};

} // namespace

FaceEntry squeezeFace() { return faceEntry<SqueezeFace>(); }

api::ISqueezeLayer* Network::addSqueeze(ITensor& input, ITensor& axes) noexcept { return addSqueeze(input, &axes); }

api::ISqueezeLayer* Network::addSqueeze(ITensor& input, ITensor* axes) noexcept {
    return guarded(reporter_, "addSqueeze", [&] {
        if (axes) return addFace<SqueezeFace>({&input, axes}, Squeeze());
        std::vector<int64_t> ones; // determined by the definition: an open extent stays, whatever it is in a run
        Shape const& shape = shapeOf(tensorOf(input));
        for (size_t axis = static_cast<size_t>(hiddenAxes()); axis < shape.size(); ++axis) {
            if (shape[axis] == DimExpr(1)) ones.push_back(static_cast<int64_t>(axis));
        }
        auto const count = static_cast<int64_t>(ones.size());
        Tensor* const list = hide(graph_.add(std::make_unique<Constant>(Literal::of({count}, ones)), {}))->output();
        return addNode<SqueezeFace>({&tensorOf(input), list}, Squeeze());
    });
}

} // namespace tenon::trt
