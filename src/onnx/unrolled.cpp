// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "onnx/unrolled.h"

#include "base/error.h"
#include "layers/concatenation/concatenation.h"
#include "layers/slice/slice.h"
#include "layers/unsqueeze/unsqueeze.h"
#include "onnx/read_values.h"

namespace tenon::onnx {

Tensor* settled(NodeReader& node, Tensor* tensor) {
    constexpr int64_t kMostElements = 256;
    if (tensor->literal() || isFloat(tensor->type) || !isConstant(tensor->shape)) return tensor;
    if (toDims(tensor->shape).volume() > kMostElements) return tensor;
    auto value = readValue(*tensor);
    return value ? node.constant(std::move(*value)) : tensor;
}

void expectSameState(Tensor const& before, Tensor const& after, std::string const& what) {
    if (before.type != after.type)
        fail(ErrorCode::InvalidModel, what, " is ", before.type, " and becomes ", after.type,
             "; expected the same type in each iteration (add a cast)");
}

Tensor* stacked(NodeReader& node, std::vector<Tensor*> const& parts, int64_t axis, Tensor* shapeOf) {
    Tensor* const axes = node.constant(Literal::of<int64_t>({1}, {axis}));
    std::vector<Tensor*> rows;
    for (Tensor* part : parts) rows.push_back(node.add(Unsqueeze{}, {part, axes}));
    if (rows.size() == 1) return rows[0];
    if (!rows.empty()) return node.add(Concatenation::along(axis), std::move(rows));
    Slice none;
    none.bounds = Slice::Bounds::End;
    none.axes = {axis};
    none.start = {0};
    none.size = {0};
    return node.add(none, {node.add(Unsqueeze{}, {shapeOf, axes})});
}

} // namespace tenon::onnx
