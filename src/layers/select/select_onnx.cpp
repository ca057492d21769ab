// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/select/select.h"

#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importWhere(NodeReader& node) {
    return {node.add(Select{}, {node.input(0), node.input(1), node.input(2)})};
}

} // namespace

ImporterList selectImporters() {
    static constexpr Importer all[] = {{"Where", importWhere}};
    return all;
}

} // namespace tenon::onnx
