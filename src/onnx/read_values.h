// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon::onnx {

/// Records that layers depend on the elements of a tensor: the constants that it is computed from decide the network
/// (Constant::decides).
void decideBy(Tensor const& tensor);

/// The elements of a tensor that is computed from constants alone, for an importer that makes layers by them; none if
/// it depends on other tensors.
std::optional<Literal> readValue(Tensor const& tensor);

/// The element of such a tensor with one element; an Error for another count.
std::optional<int64_t> readNumber(Tensor const& tensor);

} // namespace tenon::onnx
