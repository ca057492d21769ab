// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/scale/scale.h"

#include "base/error.h"
#include "graph/reformat.h"
#include "layers/cast/cast.h"
#include "layers/elementwise/elementwise.h"
#include "layers/unary/unary.h"
#include "onnx/term.h"

#include <algorithm>
#include <cmath>

namespace tenon::onnx {
namespace {

/// The statistics of a batch normalization are fixed in inference: y = x * scale + shift, each with one value per
/// channel.
struct Normalization {
    Tensor* scale;
    Tensor* shift;
};

Literal literalOf(DataType type, Dims const& dims, std::vector<float> const& values) {
    auto memory = allocateHost(bytesOf(type, dims.volume()));
    reformat(dims, {DataType::Float32, {}, {}}, values.data(), {type, {}, {}}, memory.get());
    return Literal::borrowed(type, dims, memory.get(), memory);
}

std::vector<float> numbers(NodeReader& node, int input) { return node.input(input)->literal()->toFloat(); }

/// From the constants scale, bias, mean and variance (inputs 1 to 4).
Normalization folded(NodeReader& node, float epsilon, DataType type) {
    auto const gamma = numbers(node, 1);
    auto const bias = numbers(node, 2);
    auto const mean = numbers(node, 3);
    auto const variance = numbers(node, 4);
    std::vector<float> scale;
    std::vector<float> shift;
    for (size_t i = 0; i < gamma.size(); ++i) {
        double const factor = gamma[i] / std::sqrt(static_cast<double>(variance[i]) + epsilon);
        scale.push_back(static_cast<float>(factor));
        shift.push_back(static_cast<float>(bias[i] - mean[i] * factor));
    }
    Dims const& dims = node.input(1)->literal()->dims();
    return {node.constant(literalOf(type, dims, scale), WeightOrigin::BatchNormScale, epsilon),
            node.constant(literalOf(type, dims, shift), WeightOrigin::BatchNormBias, epsilon)};
}

Tensor* inType(NodeReader& node, int input, DataType type) {
    Cast cast;
    cast.to = type;
    return node.input(input)->type == type ? node.input(input) : node.add(cast, {node.input(input)});
}

/// The same if the network computes the parameters.
Normalization computed(NodeReader& node, float epsilon, DataType type) {
    Unary root;
    root.operation = PointwiseOp::Sqrt;
    Tensor* const least = node.constant(scalarOf(type, epsilon));
    Tensor* const variance = node.add(elementwise(PointwiseOp::Sum), {inType(node, 4, type), least});
    Tensor* const deviation = node.add(root, {variance});
    Tensor* const scale = node.add(elementwise(PointwiseOp::Div), {inType(node, 1, type), deviation});
    Tensor* const offset = node.add(elementwise(PointwiseOp::Prod), {inType(node, 3, type), scale});
    return {scale, node.add(elementwise(PointwiseOp::Sub), {inType(node, 2, type), offset})};
}

void expectInference(NodeReader& node) {
    node.ignore({"momentum", "is_test"}); // for training
    bool trains = node.integer("training_mode", 0) != 0;
    for (int i = 1; i < node.outputCount(); ++i) trains |= node.hasOutput(i);
    if (trains)
        fail(ErrorCode::Unsupported, "requests the statistics of the batch (training); export the model for inference");
}

bool areConstantVectors(NodeReader& node) {
    for (int i = 1; i <= 4; ++i) {
        Literal const* literal = node.input(i)->literal();
        if (literal == nullptr) return false;
        if (!(literal->dims() == node.input(1)->literal()->dims()))
            fail(ErrorCode::InvalidModel, "input ", i, " has shape ", literal->dims(), " and input 1 ",
                 node.input(1)->literal()->dims(), "; expected one value per channel for each");
    }
    return true;
}

bool areLists(NodeReader& node) {
    return std::ranges::all_of(std::initializer_list<int>{1, 2, 3, 4},
                               [&](int i) { return node.input(i)->shape.size() == 1; });
}

/// X [N] has one channel.
Tensor* overOneChannel(NodeReader& node, Normalization const& by) {
    for (int i = 1; i <= 4; ++i) {
        if (node.input(i)->shape.size() != 1 || node.input(i)->shape[0].constantOr(1) != 1)
            fail(ErrorCode::InvalidModel, "input ", i, " has shape ", node.input(i)->shape, " and input 0 ",
                 node.input(0)->shape, ", which has one channel; expected [1]");
    }
    Tensor* const scaled = node.add(elementwise(PointwiseOp::Prod), {node.input(0), by.scale});
    return node.add(elementwise(PointwiseOp::Sum), {scaled, by.shift});
}

std::vector<Tensor*> importBatchNormalization(NodeReader& node) {
    expectInference(node);
    float const epsilon = node.real("epsilon", 1e-5F);
    DataType const type = node.input(0)->type;
    Normalization const by = areConstantVectors(node) ? folded(node, epsilon, type) : computed(node, epsilon, type);
    bool const spatial = node.opset() >= 9 || node.integer("spatial", 1) != 0;
    if (node.input(0)->shape.size() == 1) return {overOneChannel(node, by)};
    if (spatial && areLists(node)) requireOneForEachChannel(node, {1, 2, 3, 4});
    Scale layer;
    layer.mode = spatial ? Scale::Mode::Channel : Scale::Mode::Elementwise;
    return {node.add(layer, {node.input(0), by.shift, by.scale})};
}

} // namespace

ImporterList scaleImporters() {
    static constexpr Importer all[] = {{"BatchNormalization", importBatchNormalization}};
    return all;
}

} // namespace tenon::onnx
