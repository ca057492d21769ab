// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"

namespace tenon {

/// Fails for a tensor that no memory holds. What is computed from the shapes of all others (strides, bytes, padded and
/// wider copies, sums of some of them) does not overflow; an extent of 0 beside huge ones makes none of them small.
void expectHoldable(DataType type, Dims const& dims);

} // namespace tenon
