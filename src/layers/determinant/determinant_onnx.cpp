// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/determinant/determinant.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importDet(NodeReader& node) { return {node.add(Determinant{}, {node.input(0)})}; }

} // namespace

ImporterList determinantImporters() {
    static constexpr Importer all[] = {{"Det", importDet}};
    return all;
}

} // namespace tenon::onnx
