// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <NvInfer.h>

#include <string>
#include <vector>

namespace trtexec {

/// Memory of weights that took the place of a network's own; it outlives the build.
using PrunedWeights = std::vector<std::string>;

/// Sets the two smaller of each four weights to zero, along the axis that a layer sums over: of convolutions their
/// input channels, of products with a constant its rows. Float32 and types of 16 bits; others stay as they are.
PrunedWeights sparsify(nvinfer1::INetworkDefinition& network);

} // namespace trtexec
