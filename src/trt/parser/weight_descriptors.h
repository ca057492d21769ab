// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"

#include <cstdint>
#include <span>

namespace tenon::trt {

/// Weights separate from a model, in the layout of onnxTensorDescriptorV1 of the ONNX interface for inference
/// (ONNXIFI).
struct WeightDescriptor {
    int32_t tag;
    char const* name;
    uint64_t dataType;   // by the numbers of TensorProto.DataType
    uint64_t memoryType; // 0: the CPU
    uint32_t dimensions;
    uint64_t const* shape;
    uint64_t buffer; // an address
};

/// The model with its inputs or initializers of these names replaced by the weights, which are copied. An Error names
/// weights that cannot be read, or that the model does not have.
onnx::Model withWeights(onnx::Model const& model, std::span<WeightDescriptor const> weights);

} // namespace tenon::trt
