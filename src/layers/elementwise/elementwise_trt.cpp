// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/elementwise/elementwise.h"

#include "trt/network/network.h"

namespace tenon::trt {
namespace {

PointwiseOp fromApi(api::ElementWiseOperation op) { return checkedEnum(op, "elementwise operation", PointwiseOp::Sum); }

class ElementWiseFace final : public FaceOf<api::IElementWiseLayer, Elementwise, api::LayerType::kELEMENTWISE> {
public:
    using FaceOf::FaceOf;

    void setOperation(api::ElementWiseOperation op) noexcept override {
        edit("setOperation", [&](Elementwise& layer) { layer.operation = fromApi(op); });
    }
    /// A number above the enumerators represents a function that only ONNX has.
    api::ElementWiseOperation getOperation() const noexcept override {
        return sameEnumSince<api::ElementWiseOperation>(PointwiseOp::Sum, layer().operation);
    }
};

class ParametricReLUFace final
    : public FaceOf<api::IParametricReLULayer, Elementwise, api::LayerType::kPARAMETRIC_RELU> {
public:
    using FaceOf::FaceOf;
};

std::unique_ptr<LayerFace> makeElementwise(Network& network, Node& node) {
    if (as<Elementwise>(*node.layer)->operation == PointwiseOp::ParametricRelu)
        return std::make_unique<ParametricReLUFace>(network, node);
    return std::make_unique<ElementWiseFace>(network, node);
}

} // namespace

FaceEntry elementwiseFace() { return {Elementwise::kKind, makeElementwise}; }

api::IElementWiseLayer* Network::addElementWise(ITensor& input1, ITensor& input2,
                                                api::ElementWiseOperation op) noexcept {
    return guarded(reporter_, "addElementWise", [&] {
        return addFace<ElementWiseFace>({&input1, &input2}, elementwise(fromApi(op)));
    });
}

api::IParametricReLULayer* Network::addParametricReLU(ITensor& input, ITensor& slope) noexcept {
    return add<ParametricReLUFace>("addParametricReLU", {&input, &slope}, elementwise(PointwiseOp::ParametricRelu));
}

} // namespace tenon::trt
