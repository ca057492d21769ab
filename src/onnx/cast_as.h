// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/small_float.h"
#include "onnx/importer.h"

namespace tenon::onnx {

/// How a Cast rounds to types of 8 bits and less.
struct CastRules {
    bool saturate = true;
    PowerRounding rounding = PowerRounding::Up; // to E8M0
};

/// An input of the node in another type of ONNX, by the rules of Cast. The values are those of that type even where the
/// graph stores it in a wider one.
Tensor* castAs(NodeReader& node, int input, int64_t to, CastRules const& rules);

} // namespace tenon::onnx
