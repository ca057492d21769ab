// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/importer.h"

namespace tenon::onnx {

/// The tensor, or a constant in its stead if it is small, known and not floating point. So values that each trip of a
/// loop computes from the one before (a counter, a condition) are not computed from the first trip on again.
Tensor* settled(NodeReader& node, Tensor* tensor);

/// A tensor that a loop carries from one trip to the next keeps its type; otherwise an Error. `what`: "state 1".
void expectSameState(Tensor const& before, Tensor const& after, std::string const& what);

/// Tensors of one shape, stacked along a new axis. `shapeOf` provides the shape if there are none.
Tensor* stacked(NodeReader& node, std::vector<Tensor*> const& parts, int64_t axis, Tensor* shapeOf);

} // namespace tenon::onnx
