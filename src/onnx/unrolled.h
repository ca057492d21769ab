// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/importer.h"

namespace tenon::onnx {

/// The tensor, or a constant in its place where it is small, no floating point and known. So what each trip of a loop
/// computes from the one before (a counter, a condition) is not computed from the first trip on again.
Tensor* settled(NodeReader& node, Tensor* tensor);

/// What a loop carries from one trip to the next keeps its type; an Error where it does not. `what`: "state 1".
void expectSameState(Tensor const& before, Tensor const& after, std::string const& what);

/// Tensors of one shape, one behind the other along a new axis. `shapeOf` stands for them where there are none.
Tensor* stacked(NodeReader& node, std::vector<Tensor*> const& parts, int64_t axis, Tensor* shapeOf);

} // namespace tenon::onnx
