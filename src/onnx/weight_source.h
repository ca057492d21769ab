// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tenon {
class Node;
}

namespace tenon::onnx {

/// How a constant's elements are computed from a model.
enum class WeightOrigin {
    Initializer,    // those of one initializer, converted to the constant's type
    BatchNormScale, // scale / sqrt(variance + epsilon) of scale, bias, mean and variance
    BatchNormBias,  // bias - mean * scale / sqrt(variance + epsilon), of the same
    ConstantNode,   // the value of a Constant
    ConstantOfShape // the value of a ConstantOfShape
};

/// A constant of the graph with its origin.
struct WeightSource {
    Node const* constant;
    std::string name; // of the constant when it was added
    WeightOrigin origin;
    int64_t elementType;              // TensorProto.DataType of the sources; for values in nodes, the graph's type
    std::vector<std::string> sources; // initializers, or the output of the node that holds the value
    float epsilon = 0;                // of BatchNormalization
};

} // namespace tenon::onnx
