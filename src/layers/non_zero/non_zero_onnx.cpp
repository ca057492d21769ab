// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/non_zero/non_zero.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importNonZero(NodeReader& node) { return {node.add(NonZero(), {node.input(0)})}; }

} // namespace

ImporterList nonZeroImporters() {
    static constexpr Importer all[]{{"NonZero", importNonZero}};
    return all;
}

} // namespace tenon::onnx
