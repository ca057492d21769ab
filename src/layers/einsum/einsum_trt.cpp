// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/einsum/einsum.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

std::string equationOf(char const* equation) {
    if (equation == nullptr) fail(ErrorCode::InvalidArgument, "the equation is null");
    checkEquation(equation);
    return equation;
}

class EinsumFace final : public FaceOf<api::IEinsumLayer, Einsum, api::LayerType::kEINSUM> {
public:
    using FaceOf::FaceOf;

    bool setEquation(char const* equation) noexcept override {
        return edit("setEquation", [&](Einsum& layer) { layer.equation = equationOf(equation); });
    }
    char const* getEquation() const noexcept override { return layer().equation.c_str(); }
};

} // namespace

FaceEntry einsumFace() { return faceEntry<EinsumFace>(); }

api::IEinsumLayer* Network::addEinsum(ITensor* const* inputs, int32_t nbInputs, char const* equation) noexcept {
    return guarded(reporter_, "addEinsum", [&] {
        expectExplicitBatch("addEinsum");
        auto const tensors = listOf(inputs, nbInputs, "input");
        if (tensors.empty()) fail(ErrorCode::InvalidArgument, "there are no inputs; expected at least one");
        Einsum layer;
        layer.equation = equationOf(equation);
        return addNode<EinsumFace>(tensorsOf(tensors), layer);
    });
}

} // namespace tenon::trt
