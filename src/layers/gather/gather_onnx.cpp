// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/gather/gather.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> import(NodeReader& node, Gather::Mode mode) {
    Gather layer;
    layer.mode = mode;
    layer.axis = node.integer("axis", 0);
    layer.elementWiseDims = node.integer("batch_dims", 0); // of GatherND, since opset 12
    return {node.add(layer, {node.input(0), node.input(1)})};
}

std::vector<Tensor*> importGather(NodeReader& node) { return import(node, Gather::Mode::Default); }
std::vector<Tensor*> importGatherElements(NodeReader& node) { return import(node, Gather::Mode::Element); }
std::vector<Tensor*> importGatherNd(NodeReader& node) { return import(node, Gather::Mode::ND); }

} // namespace

ImporterList gatherImporters() {
    static constexpr Importer all[]{
        {"Gather", importGather}, {"GatherElements", importGatherElements}, {"GatherND", importGatherNd}};
    return all;
}

} // namespace tenon::onnx
