// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "layers.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tenon::plugins {

using namespace nvinfer1;

namespace {

Dims dimsOf(std::vector<int64_t> const& extents) {
    Dims dims{};
    dims.nbDims = int32_t(extents.size());
    std::ranges::copy(extents, dims.d);
    return dims;
}

Dims all(int32_t count, int64_t value) { return dimsOf(std::vector<int64_t>(size_t(count), value)); }

template <class Layer> Layer& added(Layer* layer, std::string_view method) {
    if (layer == nullptr) throw std::invalid_argument(std::string(method) + " was refused; the error is logged above");
    return *layer;
}

/// With axes of 1 prepended up to that rank.
Value ofRank(Value const& x, int32_t rank) {
    if (x.rank() >= rank) return x;
    Value const ones = x.layers().integers(std::vector<int64_t>(size_t(rank - x.rank()), 1));
    return reshape(x, x.rank() == 0 ? ones : concatenate({ones, shapeOf(x)}, 0));
}

Value number(Value const& like, float value) {
    return like.layers().reals({value}, std::vector<int64_t>(size_t(like.rank()), 1), like);
}

Value elementwise(Value const& a, Value const& b, ElementWiseOperation operation) {
    int32_t const rank = std::max(a.rank(), b.rank());
    ITensor &left = ofRank(a, rank).tensor(), &right = ofRank(b, rank).tensor();
    return a.layers().outputOf(a.layers().network().addElementWise(left, right, operation), "addElementWise");
}

Value normalization(Value const& x, Value const& scale, Value const& bias, uint32_t axes, float epsilon,
                    int64_t groups) {
    ITensor &scales = ofRank(scale, x.rank()).tensor(), &biases = ofRank(bias, x.rank()).tensor();
    INormalizationLayer& layer =
        added(x.layers().network().addNormalizationV2(x.tensor(), scales, biases, axes), "addNormalization");
    layer.setEpsilon(epsilon);
    layer.setNbGroups(groups);
    return x.layers().outputOf(&layer, "addNormalization");
}

} // namespace

Value Layers::outputOf(ILayer* layer, std::string_view method, int32_t output) {
    ITensor* const tensor = added(layer, method).getOutput(output);
    if (tensor == nullptr) throw std::invalid_argument(std::string(method) + " has no such output");
    return {*this, *tensor};
}

Value Layers::reals(std::vector<float> const& values, std::vector<int64_t> const& extents, DataType type) {
    Weights const weights{DataType::kFLOAT, values.data(), int64_t(values.size())};
    return cast(outputOf(network_.addConstant(dimsOf(extents), weights), "addConstant"), type);
}

Value Layers::integers(std::vector<int64_t> const& values) {
    Weights const weights{DataType::kINT64, values.data(), int64_t(values.size())};
    return outputOf(network_.addConstant(dimsOf({weights.count}), weights), "addConstant");
}

Value Layers::integer(int64_t value) { return reshape(integers({value}), std::vector<int64_t>()); }

void Layers::expect(Value const& condition, std::string const& text) {
    added(network_.addAssertion(condition.tensor(), text.c_str()), "addAssertion");
}

Value operator+(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kSUM); }
Value operator-(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kSUB); }
Value operator*(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kPROD); }
Value operator/(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kDIV); }
Value operator+(Value const& a, float b) { return a + number(a, b); }
Value operator-(Value const& a, float b) { return a - number(a, b); }
Value operator*(Value const& a, float b) { return a * number(a, b); }
Value operator/(Value const& a, float b) { return a / number(a, b); }
Value max(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kMAX); }
Value min(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kMIN); }
Value operator<(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kLESS); }

Value equal(Value const& a, Value const& b) { return elementwise(a, b, ElementWiseOperation::kEQUAL); }

Value unary(Value const& x, UnaryOperation operation) {
    return x.layers().outputOf(x.layers().network().addUnary(x.tensor(), operation), "addUnary");
}

Value activation(Value const& x, ActivationType type, float alpha, float beta) {
    IActivationLayer& layer = added(x.layers().network().addActivation(x.tensor(), type), "addActivation");
    layer.setAlpha(alpha);
    layer.setBeta(beta);
    return x.layers().outputOf(&layer, "addActivation");
}

Value select(Value const& condition, Value const& a, Value const& b) {
    int32_t const rank = std::max({condition.rank(), a.rank(), b.rank()});
    ITensor& which = ofRank(condition, rank).tensor();
    ITensor &yes = ofRank(a, rank).tensor(), &no = ofRank(b, rank).tensor();
    return a.layers().outputOf(a.layers().network().addSelect(which, yes, no), "addSelect");
}

Value cast(Value const& x, DataType type) {
    if (x.type() == type) return x;
    return x.layers().outputOf(x.layers().network().addCast(x.tensor(), type), "addCast");
}

Value shapeOf(Value const& x) {
    return cast(x.layers().outputOf(x.layers().network().addShape(x.tensor()), "addShape"), DataType::kINT64);
}

Value extents(Value const& x, int32_t first, int32_t last) { return part(shapeOf(x), 0, first, last - first); }

Value product(Value const& list) { return reduce(list, ReduceOperation::kPROD, 1); }

Value reshape(Value const& x, Value const& shape) {
    IShuffleLayer& layer = added(x.layers().network().addShuffle(x.tensor()), "addShuffle");
    layer.setInput(1, shape.tensor());
    layer.setZeroIsPlaceholder(false);
    return x.layers().outputOf(&layer, "addShuffle");
}

Value reshape(Value const& x, std::vector<int64_t> const& shape) {
    IShuffleLayer& layer = added(x.layers().network().addShuffle(x.tensor()), "addShuffle");
    layer.setReshapeDimensions(dimsOf(shape));
    return x.layers().outputOf(&layer, "addShuffle");
}

Value transpose(Value const& x, std::vector<int32_t> const& order) {
    IShuffleLayer& layer = added(x.layers().network().addShuffle(x.tensor()), "addShuffle");
    Permutation permutation{};
    std::ranges::copy(order, permutation.order);
    layer.setFirstTranspose(permutation);
    return x.layers().outputOf(&layer, "addShuffle");
}

/// A slice whose strides are 0 if there is one element.
Value broadcastTo(Value const& x, Value const& shape) {
    auto const rank = int32_t(shape.extent(0));
    Value const given = ofRank(x, rank);
    Value const ones = x.layers().integers(std::vector<int64_t>(size_t(rank), 1));
    ISliceLayer& layer =
        added(x.layers().network().addSlice(given.tensor(), all(rank, 0), all(rank, 1), all(rank, 1)), "addSlice");
    layer.setInput(2, shape.tensor());
    layer.setInput(3, min(shapeOf(given) - ones, ones).tensor());
    return x.layers().outputOf(&layer, "addSlice");
}

Value concatenate(std::vector<Value> const& parts, int32_t axis) {
    std::vector<ITensor*> tensors;
    for (Value const& one : parts) tensors.push_back(&one.tensor());
    Layers& layers = parts.front().layers();
    IConcatenationLayer& layer =
        added(layers.network().addConcatenation(tensors.data(), int32_t(tensors.size())), "addConcatenation");
    layer.setAxis(axis);
    return layers.outputOf(&layer, "addConcatenation");
}

Value part(Value const& x, int32_t axis, int64_t first, int64_t size) {
    return part(x, axis, first, x.layers().integers({size}));
}

Value part(Value const& x, int32_t axis, int64_t first, Value const& size) {
    return part(x, axis, x.layers().integers({first}), size);
}

Value part(Value const& x, int32_t axis, Value const& first, Value const& size) {
    int32_t const rank = x.rank();
    Layers& layers = x.layers();
    std::vector<Value> starts, sizes;
    auto const addWhole = [&](int32_t from, int32_t to) {
        if (from == to) return;
        starts.push_back(layers.integers(std::vector<int64_t>(size_t(to - from), 0)));
        sizes.push_back(extents(x, from, to));
    };
    addWhole(0, axis);
    starts.push_back(first);
    sizes.push_back(size);
    addWhole(axis + 1, rank);
    ISliceLayer& layer =
        added(layers.network().addSlice(x.tensor(), all(rank, 0), all(rank, 1), all(rank, 1)), "addSlice");
    layer.setInput(1, (rank == 1 ? first : concatenate(starts, 0)).tensor());
    layer.setInput(2, (rank == 1 ? size : concatenate(sizes, 0)).tensor());
    return layers.outputOf(&layer, "addSlice");
}

Value gather(Value const& x, Value const& indices, int32_t axis) {
    return x.layers().outputOf(x.layers().network().addGather(x.tensor(), indices.tensor(), axis), "addGather");
}

Value scatter(Value const& x, Value const& indices, Value const& updates, ScatterMode mode, int32_t axis) {
    IScatterLayer& layer =
        added(x.layers().network().addScatter(x.tensor(), indices.tensor(), updates.tensor(), mode), "addScatter");
    layer.setAxis(axis);
    return x.layers().outputOf(&layer, "addScatter");
}

Value ramp(Value const& count) {
    IFillLayer& layer =
        added(count.layers().network().addFill(all(1, 0), FillOperation::kLINSPACE, DataType::kINT64), "addFill");
    layer.setAlphaInt64(0);
    layer.setBetaInt64(1);
    layer.setInput(0, count.tensor());
    return count.layers().outputOf(&layer, "addFill");
}

Value reduce(Value const& x, ReduceOperation operation, uint32_t axes) {
    return x.layers().outputOf(x.layers().network().addReduce(x.tensor(), operation, axes, true), "addReduce");
}

Value softmax(Value const& x, int32_t axis) {
    ISoftMaxLayer& layer = added(x.layers().network().addSoftMax(x.tensor()), "addSoftMax");
    layer.setAxes(1U << axis);
    return x.layers().outputOf(&layer, "addSoftMax");
}

Value matmul(Value const& a, Value const& b, bool transposesB) {
    int32_t const rank = std::max(a.rank(), b.rank());
    auto const second = transposesB ? MatrixOperation::kTRANSPOSE : MatrixOperation::kNONE;
    ITensor &left = ofRank(a, rank).tensor(), &right = ofRank(b, rank).tensor();
    auto* const layer = a.layers().network().addMatrixMultiply(left, MatrixOperation::kNONE, right, second);
    return a.layers().outputOf(layer, "addMatrixMultiply");
}

Value normalize(Value const& x, Value const& scale, Value const& bias, uint32_t axes, float epsilon) {
    return normalization(x, scale, bias, axes, epsilon, 1);
}

Value normalizeGroups(Value const& x, Value const& scale, Value const& bias, int64_t groups, float epsilon) {
    std::vector<int64_t> extents(size_t(x.rank()), 1);
    extents[1] = -1;
    uint32_t const axes = Value::axes(groups == 1 ? 1 : 2, x.rank()); // for one group, the channels are axes
    return normalization(x, reshape(scale, extents), reshape(bias, extents), axes, epsilon, groups);
}

Value onnxNode(OnnxOperator const& op, std::vector<std::optional<Value>> const& inputs,
               OnnxAttributes const& attributes) {
    std::vector<ITensor*> tensors;
    for (auto const& input : inputs) tensors.push_back(input ? &input->tensor() : nullptr);
    Layers& layers = inputs.front()->layers();
    return {layers, *addOnnxNode(layers.network(), op, tensors, attributes)[0]};
}

Value dequantize(Value const& x, float scale, DataType type) {
    Layers& layers = x.layers();
    ITensor& scales = layers.reals({scale}, {}, type).tensor();
    return layers.outputOf(layers.network().addDequantize(x.tensor(), scales, type), "addDequantize");
}

Value quantize(Value const& x, float scale) {
    Layers& layers = x.layers();
    ITensor& scales = layers.reals({scale}, {}, x).tensor();
    return layers.outputOf(layers.network().addQuantize(x.tensor(), scales, DataType::kINT8), "addQuantize");
}

std::vector<ITensor*> LayeredPlugin::addLayers(INetworkDefinition& network, NetworkTensors inputs) {
    Layers in(network);
    std::vector<Value> values;
    for (ITensor* input : inputs) values.emplace_back(in, *input);
    std::vector<ITensor*> outputs;
    for (Value const& output : layers(in, values)) outputs.push_back(&output.tensor());
    return outputs;
}

} // namespace tenon::plugins
