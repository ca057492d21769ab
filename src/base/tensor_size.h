// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"

namespace tenon {

/// Fails for a tensor that is too large for any memory, also where an extent of 0 stands beside huge ones. For all
/// others, what is computed from the shape (strides, bytes, padded or wider copies, sums of these) does not overflow.
void expectHoldable(DataType type, Dims const& dims);

} // namespace tenon
