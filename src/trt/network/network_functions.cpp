// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What tenon/plugin.h adds to the networks of plugins.

#include "tenon/plugin.h"

#include "layers/constant/constant.h"
#include "trt/network/network.h"

namespace {

using tenon::trt::Network;

/// [1], the extent of one axis.
nvinfer1::ITensor* extentOf(Network& network, nvinfer1::ITensor& tensor, int64_t axis) {
    auto* const shape = network.addShape(tensor);
    if (shape == nullptr) return nullptr;
    nvinfer1::Dims const one{1, {1}};
    auto* const extent = network.addSlice(*shape->getOutput(0), nvinfer1::Dims{1, {axis}}, one, one);
    return extent == nullptr ? nullptr : extent->getOutput(0);
}

nvinfer1::ITensor* constantOf(Network& network, int64_t value) {
    return network.faceOf(network.graph().emit(tenon::Constant(tenon::Literal::of<int64_t>({1}, {value})), {}));
}

} // namespace

void tenonExpectExtent(nvinfer1::INetworkDefinition* network, nvinfer1::ITensor* tensor, int32_t axis,
                       nvinfer1::ITensor* like, int64_t axisOrExtent, char const* text) noexcept {
    auto& ours = static_cast<Network&>(*network);
    tenon::trt::guarded(ours.reporter(), "tenonExpectExtent", [&] {
        auto* const found = extentOf(ours, *tensor, axis);
        auto* const expected = like == nullptr ? constantOf(ours, axisOrExtent) : extentOf(ours, *like, axisOrExtent);
        if (found == nullptr || expected == nullptr) return; // which is reported
        auto* const isSame = ours.addElementWise(*found, *expected, nvinfer1::ElementWiseOperation::kEQUAL);
        if (isSame != nullptr) ours.addAssertion(*isSame->getOutput(0), text);
    });
}

void tenonComputeInFloat(nvinfer1::INetworkDefinition* network) noexcept {
    auto& ours = static_cast<Network&>(*network);
    tenon::trt::guarded(ours.reporter(), "tenonComputeInFloat", [&] {
        for (auto const& node : ours.graph().nodes()) {
            if (node->outputs().empty()) continue;
            ours.refresh(node->output());
            if (node->output()->type != tenon::DataType::Float32) continue;
            node->askedType = tenon::DataType::Float32;
            node->isFirm = true;
        }
    });
}
