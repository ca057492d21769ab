// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/error.h"

#include <cstdint>
#include <string_view>

namespace tenon::cuda {

/// `number`, for a kernel that counts in 32 bits: throws an Error if there are more of these `things` than `most`.
inline uint32_t counted(int64_t number, std::string_view things = "elements", int64_t most = INT32_MAX) {
    if (number > most) fail(ErrorCode::Unsupported, number, ' ', things, "; this kernel supports up to ", most);
    return static_cast<uint32_t>(number);
}

/// An extent, for a kernel that adds extents, and steps beyond their ends, in 32 bits.
inline int countedExtent(int64_t extent, std::string_view things) {
    constexpr int64_t kMost = int64_t{1} << 29;
    return static_cast<int>(counted(extent, things, kMost));
}

} // namespace tenon::cuda
