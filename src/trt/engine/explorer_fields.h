// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"
#include "plan/json/json_memory.h"

namespace tenon::trt {

/// "FP32", "Int8": the names of element types in TensorRT's layer information.
std::string_view typeWord(DataType type);

/// Weights as TensorRT's layer information describes them: their type as "Float", "Half" …, and the number of elements.
Json weightsJson(DataType type, int64_t count);

/// Fields of TensorRT's layer information besides a layer's own fields, under the names and spellings that tools such
/// as trt-engine-explorer read. Convolution and Deconvolution: Kernel, OutMaps, Weights, Bias, HasBias, HasReLU,
/// Activation. Pooling: PoolingType, WindowSize. Reformat: Origin. Empty for all others.
Json explorerFields(Node const& node);

} // namespace tenon::trt
