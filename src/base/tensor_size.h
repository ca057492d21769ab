// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"

#include <string_view>

namespace tenon {

/// Throws for a tensor that is too large for any memory, also if it has an extent of 0 beside huge ones. For all
/// others, sizes computed from the shape (strides, bytes, padded or wider copies, sums of these) do not overflow.
void expectHoldable(DataType type, Dims const& dims);

/// Throws if int32, when it is the type of `indices`, cannot count that many `things`: "elements".
void expectCountable(DataType indices, int64_t count, std::string_view things);

} // namespace tenon
