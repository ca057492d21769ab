// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "onnx/importer.h"

namespace tenon::onnx {

// Reshapes that other importers need, for shapes that may be known at run time only.

/// X [d0,…,dn] → Y [d0·…·d(axis-1), d(axis)·…·dn]; axis may be negative.
Tensor* flatten(NodeReader& node, Tensor* x, int64_t axis);
/// The elements of X in the shape of `like`.
Tensor* reshapeLike(NodeReader& node, Tensor* x, Tensor* like);

} // namespace tenon::onnx
