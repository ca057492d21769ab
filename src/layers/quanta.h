// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

// What kernels of int8 ask about quantized tensors and weights.

/// The integers that a Quantize gives or a Dequantize reads, where constants say them and all elements have one scale:
/// those of its float32 tensor, if that is kept in them.
std::optional<Quantum> quantumOf(Node const& node);
/// The float32 tensor of a Quantize or a Dequantize.
Tensor* realsOf(Node const& node);

/// The scale of each index of `axis` of constant float32 weights as the network has quantized them; where the network
/// has not and `mayRound`, the largest of each becomes 127. Empty: these weights are none for kernels of int8.
std::vector<float> weightScales(Tensor const& weights, int axis, bool mayRound);
/// Whether there are any, without computing them.
bool hasWeightScales(Tensor const& weights, int axis, bool mayRound);
/// Dense row-major weights as those integers, in float32.
Literal wholeWeights(Literal const& weights, int axis, std::span<float const> scales);

} // namespace tenon
