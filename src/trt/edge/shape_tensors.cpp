// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/edge/shape_tensors.h"

#include "layers/constant/constant.h"

namespace tenon::trt {
namespace {

/// `open`, and all tensors whose elements are needed to compute its elements.
TensorSet withSources(std::vector<Tensor const*> open) {
    TensorSet found;
    while (!open.empty()) {
        Tensor const* tensor = open.back();
        open.pop_back();
        if (tensor == nullptr || !found.insert(tensor).second || tensor->producer() == nullptr) continue;
        Node const& producer = *tensor->producer();
        for (size_t i = 0; i < producer.inputs().size(); ++i) {
            auto const index = static_cast<int>(i);
            if (!producer.layer->readsShapeOnly(index) && !producer.layer->readsValuesOf(index))
                open.push_back(producer.inputs()[i]);
        }
    }
    return found;
}

} // namespace

TensorSet decidesShapes(Graph const& graph) {
    std::vector<Tensor const*> read;
    for (auto const& node : graph.nodes()) {
        for (size_t i = 0; i < node->inputs().size(); ++i) {
            if (node->layer->readsValuesOf(static_cast<int>(i))) read.push_back(node->inputs()[i]);
        }
    }
    for (Tensor const* output : graph.outputs()) {
        if (output->onHost) read.push_back(output); // markOutputForShapes()
    }
    return withSources(std::move(read));
}

TensorSet decidingConstants(Graph const& graph) {
    TensorSet found;
    TensorSet const shapes = decidesShapes(graph);
    for (auto const& node : graph.nodes()) {
        auto const* const constant = as<Constant>(*node->layer);
        if (constant && (constant->decides || shapes.contains(node->output()))) found.insert(node->output());
        for (Graph const* body : node->layer->bodies()) found.merge(decidingConstants(*body));
    }
    return found;
}

TensorSet decidesOutputs(Graph const& graph) { return withSources({graph.outputs().begin(), graph.outputs().end()}); }

} // namespace tenon::trt
