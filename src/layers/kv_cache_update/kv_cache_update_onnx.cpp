// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/kv_cache_update/kv_cache_update.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importTensorScatter(NodeReader& node) {
    std::string const mode = node.string("mode", "linear");
    if (mode != "linear" && mode != "circular")
        fail(ErrorCode::InvalidModel, "mode is \"", mode, "\"; expected linear or circular");
    KVCacheUpdate layer;
    layer.axis = node.integer("axis", -2);
    layer.circular = mode == "circular";
    std::vector<Tensor*> inputs{node.input(0), node.input(1)};
    if (node.hasInput(2)) inputs.push_back(node.input(2));
    return {node.add(layer, std::move(inputs))};
}

} // namespace

ImporterList kvCacheUpdateImporters() {
    static constexpr Importer all[]{{"TensorScatter", importTensorScatter}};
    return all;
}

} // namespace tenon::onnx
