// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/deform_columns/deform_columns.h"

#include "base/error.h"
#include "layers/concatenation/concatenation.h"
#include "layers/elementwise/elementwise.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/shape/shape.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/importer.h"

namespace tenon::onnx {
namespace {

Tensor* list(NodeReader& node, std::vector<int64_t> const& numbers) {
    return node.constant(Literal::of({static_cast<int64_t>(numbers.size())}, numbers));
}

/// The extents of axes [from, to) of x, as a list.
Tensor* extents(NodeReader& node, Tensor* x, int64_t from, int64_t to) {
    ShapeOf layer;
    layer.start = from;
    layer.end = to;
    return node.add(layer, {x});
}

/// W [M,C/groups,kh,kw], of which all extents must be known.
std::vector<int64_t> filters(NodeReader& node) {
    Shape const& shape = node.input(1)->shape;
    if (!isConstant(shape) || shape.size() != 4)
        fail(ErrorCode::Unsupported, "W has shape ", shape, "; expected four extents that are known");
    Dims const dims = toDims(shape);
    return {dims.begin(), dims.end()};
}

DeformColumns columnsOf(NodeReader& node, std::vector<int64_t> const& w) {
    DeformColumns layer;
    layer.kernel = {w[2], w[3]};
    if (auto const kernel = node.integers("kernel_shape", layer.kernel); kernel != layer.kernel)
        fail(ErrorCode::InvalidModel, "kernel_shape is not that of W ", node.input(1)->shape);
    layer.strides = node.integers("strides", layer.strides);
    layer.dilations = node.integers("dilations", layer.dilations);
    layer.pads = node.integers("pads", layer.pads);
    layer.parts = node.integer("offset_group", 1);
    layer.groups = node.integer("group", 1);
    if (layer.groups < 1 || w[0] % layer.groups != 0)
        fail(ErrorCode::InvalidModel, "W ", node.input(1)->shape, " has ", w[0], " filters for ", layer.groups,
             " groups; expected a multiple");
    return layer;
}

/// The filters times what they meet: W [groups,M/groups,K] · columns [N,groups,K,h·w] → [N,M,h,w].
std::vector<Tensor*> importDeformConv(NodeReader& node) {
    auto const w = filters(node);
    DeformColumns const layer = columnsOf(node, w);
    Tensor* const offset = node.input(2);
    std::vector<Tensor*> inputs{node.input(0), offset};
    if (node.hasInput(4)) inputs.push_back(node.input(4));
    Tensor* const columns = node.add(layer, std::move(inputs));
    int64_t const meets = w[1] * w[2] * w[3];
    Shuffle const stacked = Shuffle::reshaping({layer.groups, w[0] / layer.groups, meets});
    Tensor* y = node.add(MatrixMultiply(), {node.add(stacked, {node.input(1)}), columns});
    Tensor* const shape =
        node.add(Concatenation(), {extents(node, offset, 0, 1), list(node, {w[0]}), extents(node, offset, 2, 4)});
    Shuffle reshape;
    reshape.zeroIsPlaceholder = false;
    y = node.add(reshape, {y, shape});
    if (!node.hasInput(3)) return {y};
    Tensor* const bias = node.add(Shuffle::reshaping({1, w[0], 1, 1}), {node.input(3)});
    return {node.add(Elementwise(), {y, bias})};
}

} // namespace

ImporterList deformColumnsImporters() {
    static constexpr Importer all[]{{"DeformConv", importDeformConv}};
    return all;
}

} // namespace tenon::onnx
