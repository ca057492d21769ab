// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reverse_sequence/reverse_sequence.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importReverseSequence(NodeReader& node) {
    ReverseSequence layer;
    layer.batchAxis = node.integer("batch_axis", 1);
    layer.sequenceAxis = node.integer("time_axis", 0);
    return {node.add(layer, {node.input(0), node.input(1)})};
}

} // namespace

ImporterList reverseSequenceImporters() {
    static constexpr Importer all[]{{"ReverseSequence", importReverseSequence}};
    return all;
}

} // namespace tenon::onnx
