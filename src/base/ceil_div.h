// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace tenon {

/// The number of parts of `size` (> 0) that cover `count` (>= 0); the last part may be smaller.
constexpr int64_t ceilDiv(int64_t count, int64_t size) { return (count + size - 1) / size; }

} // namespace tenon
