// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/normalization/normalization.h"

#include "base/error.h"
#include "layers/cast/cast.h"
#include "layers/pointwise/pointwise.h"
#include "layers/reduce/reduce.h"
#include "layers/shuffle/shuffle.h"
#include "onnx/term.h"

#include <numeric>

namespace tenon::onnx {
namespace {

int rankOf(Tensor const& tensor) { return static_cast<int>(tensor.shape.size()); }

std::vector<int64_t> axesFrom(int first, int rank) {
    std::vector<int64_t> axes(static_cast<size_t>(rank - first));
    std::iota(axes.begin(), axes.end(), first);
    return axes;
}

Tensor* inType(NodeReader& node, Tensor* tensor, DataType type) {
    Cast cast;
    cast.to = type;
    return tensor->type == type ? tensor : node.add(cast, {tensor});
}

/// The attributes shared by normalizations over all axes from `axis` on.
Normalization overLastAxes(NodeReader& node) {
    int const rank = rankOf(*node.input(0));
    Normalization layer;
    node.ignore({"stash_type"}); // float32 at least
    layer.axes = axesFrom(resolveAxis(node.integer("axis", -1), rank), rank);
    layer.epsilon = static_cast<double>(node.real("epsilon", 1e-5F));
    return layer;
}

/// The optional outputs: the mean of X and 1 / sqrt(variance + epsilon), in float32.
std::vector<Tensor*> statisticsOf(NodeReader& node, Normalization const& layer) {
    if (int64_t const stash = node.integer("stash_type", 1); dataTypeOf(stash) != DataType::Float32)
        fail(ErrorCode::Unsupported, "gives Mean and InvStdDev in type ", stash, "; expected 1 (float32)");
    Tensor* const x = inType(node, node.input(0), DataType::Float32);
    Reduce average;
    average.operation = ReduceOperation::Avg;
    average.axes = layer.axes;
    average.keepDimensions = true;
    Tensor* const mean = node.add(average, {x});
    Pointwise square;
    square.steps = {{PointwiseOp::Sub, 0, 1}, {PointwiseOp::Prod, 2, 2}};
    Tensor* const variance = node.add(average, {node.add(square, {x, mean})});
    Pointwise inverse;
    inverse.steps = {{PointwiseOp::Affine, 0, -1, 1, layer.epsilon}, {PointwiseOp::Sqrt, 1}, {PointwiseOp::Recip, 2}};
    return {mean, node.add(inverse, {variance})};
}

// X, scale and bias [all from `axis` on] → Y, mean and 1 / deviation [1 for these]
std::vector<Tensor*> importLayerNormalization(NodeReader& node) {
    Normalization const layer = overLastAxes(node);
    std::vector<Tensor*> inputs{node.input(0), node.input(1)};
    if (node.hasInput(2)) inputs.push_back(node.input(2));
    std::vector<Tensor*> outputs{node.add(layer, std::move(inputs))};
    if (!node.hasOutput(1) && !node.hasOutput(2)) return outputs;
    for (Tensor* statistic : statisticsOf(node, layer)) outputs.push_back(statistic);
    outputs.resize(static_cast<size_t>(node.outputCount()));
    return outputs;
}

// X [any], scale [all from `axis` on], of another type perhaps → Y [the shape of X], of the scale's type
std::vector<Tensor*> importRmsNormalization(NodeReader& node) {
    Normalization layer = overLastAxes(node);
    layer.centers = false;
    DataType const type = node.input(1)->type;
    if (node.input(0)->type == type) return {node.add(layer, {node.input(0), node.input(1)})};
    Tensor* const x = inType(node, node.input(0), DataType::Float32);
    Tensor* const scale = inType(node, node.input(1), DataType::Float32);
    return {inType(node, node.add(layer, {x, scale}), type)};
}

/// A vector along the channels of X [N,C,…].
Tensor* alongChannels(NodeReader& node, int input) {
    std::vector<int64_t> extents(node.input(0)->shape.size() - 1, 1);
    extents[0] = 0; // unchanged
    return node.add(Shuffle::reshaping(std::move(extents)), {node.input(input)});
}

/// X [N,C,…], scale and bias [C], or [groups]
std::vector<Tensor*> importOverChannels(NodeReader& node, Normalization layer, int leastRank) {
    Tensor const& x = *node.input(0);
    if (rankOf(x) < leastRank)
        fail(ErrorCode::InvalidModel, "input 0 '", x.name, "' has shape ", x.shape, "; expected [N,C,…] of rank ",
             leastRank, " at least");
    for (int input : {1, 2}) {
        if (rankOf(*node.input(input)) != 1)
            fail(ErrorCode::InvalidModel, "input ", input, " '", node.input(input)->name, "' has shape ",
                 node.input(input)->shape, "; expected rank 1");
    }
    layer.epsilon = static_cast<double>(node.real("epsilon", 1e-5F));
    return {node.add(std::move(layer), {node.input(0), alongChannels(node, 1), alongChannels(node, 2)})};
}

std::vector<Tensor*> importInstanceNormalization(NodeReader& node) {
    Normalization layer;
    layer.axes = axesFrom(2, std::max(2, rankOf(*node.input(0))));
    auto const outputs = importOverChannels(node, std::move(layer), 3);
    requireOneForEachChannel(node, {1, 2});
    return outputs;
}

// scale and bias have one value per group before opset 21, then one per channel
std::vector<Tensor*> importGroupNormalization(NodeReader& node) {
    Normalization layer;
    layer.groups = node.integer("num_groups");
    node.ignore({"stash_type"});                 // float32 at least
    int const first = layer.groups == 1 ? 1 : 2; // one group has all channels
    layer.axes = axesFrom(first, std::max(first, rankOf(*node.input(0))));
    return importOverChannels(node, std::move(layer), 2);
}

constexpr Importer kAll[]{
    {"LayerNormalization", importLayerNormalization},
    {"RMSNormalization", importRmsNormalization},
    {"InstanceNormalization", importInstanceNormalization},
    {"GroupNormalization", importGroupNormalization},
};

} // namespace

ImporterList normalizationImporters() { return kAll; }

} // namespace tenon::onnx
