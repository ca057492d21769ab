// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Plugins that are networks, written as formulas: the layers of an engine as functions of tensors. Each throws
// std::invalid_argument if the network refuses the layer; the network has logged the reason.
#pragma once

#include "plugin.h"

#include <NvInfer.h>
#include <tenon/onnx_node.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenon::plugins {

class Layers;

/// A tensor of a network under construction. Copies are the same tensor.
class Value {
public:
    Value(Layers& layers, nvinfer1::ITensor& tensor) : layers_(&layers), tensor_(&tensor) {}

    Layers& layers() const { return *layers_; }
    nvinfer1::ITensor& tensor() const { return *tensor_; }
    nvinfer1::DataType type() const { return tensor_->getType(); }
    int32_t rank() const { return tensor_->getDimensions().nbDims; }
    /// -1 if known only at run time; a negative axis counts from the end.
    int64_t extent(int32_t axis) const {
        nvinfer1::Dims const dims = tensor_->getDimensions();
        return dims.d[axis < 0 ? dims.nbDims + axis : axis];
    }
    /// Bit i is axis i, for the axes in [first, last).
    static uint32_t axes(int32_t first, int32_t last) { return (1U << last) - (1U << first); }

private:
    Layers* layers_;
    nvinfer1::ITensor* tensor_;
};

/// A network under construction.
class Layers {
public:
    explicit Layers(nvinfer1::INetworkDefinition& network) : network_(network) {}
    Layers(Layers const&) = delete;
    Layers& operator=(Layers const&) = delete;

    nvinfer1::INetworkDefinition& network() const { return network_; }

    /// Constants of these extents, in another's type. The length is the product of the extents.
    Value reals(std::vector<float> const& values, std::vector<int64_t> const& extents, Value const& like) {
        return reals(values, extents, like.type());
    }
    Value reals(std::vector<float> const& values, std::vector<int64_t> const& extents, nvinfer1::DataType type);
    /// INT64 [values].
    Value integers(std::vector<int64_t> const& values);
    /// A scalar, INT64 [].
    Value integer(int64_t value);

    /// If the BOOL is false in a run, the run fails with this text.
    void expect(Value const& condition, std::string const& text);

    /// An output of a layer that the method of this name has just added.
    Value outputOf(nvinfer1::ILayer* layer, std::string_view method, int32_t output = 0);

private:
    nvinfer1::INetworkDefinition& network_;
};

// ---- elementwise; shapes are broadcast, the one of lower rank is prepended with axes of 1

Value operator+(Value const& a, Value const& b);
Value operator-(Value const& a, Value const& b);
Value operator*(Value const& a, Value const& b);
Value operator/(Value const& a, Value const& b);
Value operator+(Value const& a, float b);
Value operator-(Value const& a, float b);
Value operator*(Value const& a, float b);
Value operator/(Value const& a, float b);
Value max(Value const& a, Value const& b);
Value min(Value const& a, Value const& b);
/// BOOL
Value operator<(Value const& a, Value const& b);
/// BOOL
Value equal(Value const& a, Value const& b);
Value unary(Value const& x, nvinfer1::UnaryOperation operation);
Value activation(Value const& x, nvinfer1::ActivationType type, float alpha = 0, float beta = 0);
/// `a` if the BOOL is true, else `b`.
Value select(Value const& condition, Value const& a, Value const& b);
/// The same tensor if it is of that type.
Value cast(Value const& x, nvinfer1::DataType type);

// ---- of shapes; extents are INT64 [n]

/// All extents of a tensor.
Value shapeOf(Value const& x);
/// Those of the axes in [first, last); [last - first].
Value extents(Value const& x, int32_t first, int32_t last);
/// The product of a list; [1].
Value product(Value const& list);
Value reshape(Value const& x, Value const& shape);
/// 0: the extent of the input at that axis; -1, once: inferred, if no other extent may be 0.
Value reshape(Value const& x, std::vector<int64_t> const& shape);
Value transpose(Value const& x, std::vector<int32_t> const& order);
Value broadcastTo(Value const& x, Value const& shape);
Value concatenate(std::vector<Value> const& parts, int32_t axis);
/// From `first` on, `size` elements of one axis.
Value part(Value const& x, int32_t axis, int64_t first, int64_t size);
Value part(Value const& x, int32_t axis, int64_t first, Value const& size);
/// The same from a start index INT64 [1].
Value part(Value const& x, int32_t axis, Value const& first, Value const& size);
Value gather(Value const& x, Value const& indices, int32_t axis);
/// `x` with updates at the positions of the indices.
Value scatter(Value const& x, Value const& indices, Value const& updates, nvinfer1::ScatterMode mode, int32_t axis = 0);
/// 0, 1, 2 ... `count` [1] elements, INT64 [count].
Value ramp(Value const& count);

// ---- of several elements

/// The axes are kept, with extent 1.
Value reduce(Value const& x, nvinfer1::ReduceOperation operation, uint32_t axes);
Value softmax(Value const& x, int32_t axis);
/// The products of the matrices in the last two axes.
Value matmul(Value const& a, Value const& b, bool transposesB = false);
/// Mean 0 and variance 1 over `axes`; times `scale`, plus `bias`, which are broadcast.
Value normalize(Value const& x, Value const& scale, Value const& bias, uint32_t axes, float epsilon);
/// The same over the channels of each of `groups` of x [N,C,...] and all axes after them. \param scale [C] \param bias
/// [C]
Value normalizeGroups(Value const& x, Value const& scale, Value const& bias, int64_t groups, float epsilon);

/// The first output of an ONNX node; an empty input is left out, except the first.
Value onnxNode(OnnxOperator const& op, std::vector<std::optional<Value>> const& inputs,
               OnnxAttributes const& attributes = {});
/// INT8 times `scale`, in that type.
Value dequantize(Value const& x, float scale, nvinfer1::DataType type);
/// INT8: divided by `scale` and rounded.
Value quantize(Value const& x, float scale);

/// A plugin that is a network, in these terms.
class LayeredPlugin : public NetworkPlugin {
public:
    std::vector<nvinfer1::ITensor*> addLayers(nvinfer1::INetworkDefinition& network, NetworkTensors inputs) final;

    /// One tensor for each output.
    virtual std::vector<Value> layers(Layers& in, std::vector<Value> const& inputs) = 0;
};

} // namespace tenon::plugins
