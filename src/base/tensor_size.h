// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/data_type.h"
#include "base/dims.h"

#include <string_view>

namespace tenon {

/// Fails for a tensor that is too large for any memory, also where an extent of 0 stands beside huge ones. For all
/// others, what is computed from the shape (strides, bytes, padded or wider copies, sums of these) does not overflow.
void expectHoldable(DataType type, Dims const& dims);

/// Fails where int32, if that is the type of `indices`, cannot count that many `things`: "elements".
void expectCountable(DataType indices, int64_t count, std::string_view things);

} // namespace tenon
