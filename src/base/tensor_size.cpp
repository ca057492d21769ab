// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/tensor_size.h"

#include "base/error.h"

#include <algorithm>

namespace tenon {

void expectHoldable(DataType type, Dims const& dims) {
    constexpr int64_t kMostBytes = int64_t{1} << 47; // the address space of a process
    int64_t bytes = std::max(1, bitsOf(type) / 8);
    bool fits = true;
    for (int64_t const extent : dims)
        fits = fits && !__builtin_mul_overflow(bytes, std::max<int64_t>(extent, 1), &bytes) && bytes <= kMostBytes;
    if (!fits)
        fail(ErrorCode::Memory, "a tensor of ", type, " and shape ", dims, " takes more than ", kMostBytes >> 40,
             " TiB, more than any memory");
}

void expectCountable(DataType indices, int64_t count, std::string_view things) {
    if (indices == DataType::Int32 && count > INT32_MAX)
        fail(ErrorCode::Unsupported, count, ' ', things, " exceed the range of int32 indices, up to ", INT32_MAX,
             "; use int64 indices");
}

} // namespace tenon
