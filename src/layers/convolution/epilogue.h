// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/pointwise/pointwise.h"

namespace tenon {

/// Elementwise steps that Convolution, Deconvolution and MatrixMultiply apply to their own result (operand 0) before
/// they store it. Operands 1… are the node's inputs from `firstExtra` on; they broadcast to the result.
void checkEpilogue(std::span<PointwiseStep const> steps, Operands const& in, int firstExtra, Shape const& result);

/// Puts `result` (dense, of out's shape) through the steps into `out`, whose type may be another.
void finish(std::vector<float>& result, std::span<PointwiseStep const> steps, std::span<HostTensor const> extras,
            HostTensor const& out);

/// In a chain each step works on the result of the one before, and its other operand, if it has one, is an input: its
/// number (1…), 0 when it has none. Empty when step `index` does not continue a chain.
std::optional<int64_t> otherOperand(std::span<PointwiseStep const> steps, size_t index, int extras);

/// A step that kernels do well before they store: what pass fuse_epilogue moves into an epilogue.
bool fitsEpilogue(PointwiseStep const& step);

/// The elements of a floating point tensor; none of one that is not there.
std::vector<float> toFloats(HostTensor const& tensor);

} // namespace tenon
