// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

// Queries of int8 kernels about quantized tensors and weights.

/// The integers of a Quantize's output or a Dequantize's input, if they are given by constants and all elements have
/// one scale: those of its float32 tensor, if that is stored as integers.
std::optional<Quantum> quantumOf(Node const& node);
/// The float32 tensor of a Quantize or a Dequantize.
Tensor* realsOf(Node const& node);

/// The scale of each index of `axis` of constant float32 weights as quantized by the network; if it has not quantized
/// them and `mayRound`, the largest of each becomes 127. Empty: not supported by int8 kernels.
std::vector<float> weightScales(Tensor const& weights, int axis, bool mayRound);
/// Whether there are scales, without computing them.
bool hasWeightScales(Tensor const& weights, int axis, bool mayRound);
/// Dense row-major weights as those integers, in float32.
Literal wholeWeights(Literal const& weights, int axis, std::span<float const> scales);

} // namespace tenon
