// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/model.h"

#include <cstdint>
#include <span>

namespace tenon::trt {

/// Weights beside a model, as onnxTensorDescriptorV1 of the ONNX interface for inference (ONNXIFI) lays them out.
struct WeightDescriptor {
    int32_t tag;
    char const* name;
    uint64_t dataType;   // by the numbers of TensorProto.DataType
    uint64_t memoryType; // 0: of the CPU
    uint32_t dimensions;
    uint64_t const* shape;
    uint64_t buffer; // an address
};

/// The model with these weights in place of its inputs or initializers of their names; copies them. An Error names one
/// that cannot be read, or that the model does not have.
onnx::Model withWeights(onnx::Model const& model, std::span<WeightDescriptor const> weights);

} // namespace tenon::trt
