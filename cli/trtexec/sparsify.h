// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <string>
#include <vector>

namespace trtexec {

/// Memory of weights that replaced a network's own; it outlives the build.
using PrunedWeights = std::vector<std::string>;

/// Sets the two smaller of each four weights to zero, along the axis that a layer sums over: the input channels of
/// convolutions, the rows of products with a constant. Float32 and 16-bit types; others are unchanged.
PrunedWeights sparsify(nvinfer1::INetworkDefinition& network);

} // namespace trtexec
