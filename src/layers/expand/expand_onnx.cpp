// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/expand/expand.h"

#include "base/error.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

std::vector<Tensor*> importExpand(NodeReader& node) { return {node.add(Expand{}, {node.input(0), node.input(1)})}; }

std::vector<Tensor*> importConstantOfShape(NodeReader& node) {
    Literal value = node.has("value") ? node.tensor("value") : Literal::scalar(0.0F);
    if (value.dims().volume() != 1)
        fail(ErrorCode::InvalidModel, "value has shape ", value.dims(), "; expected one element");
    return {node.add(Expand{}, {node.constant(value.reshaped({}), WeightOrigin::ConstantOfShape), node.input(0)})};
}

} // namespace

ImporterList expandImporters() {
    static constexpr Importer all[]{{"Expand", importExpand}, {"ConstantOfShape", importConstantOfShape}};
    return all;
}

} // namespace tenon::onnx
