// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/bytes.h"

#include <cstddef>
#include <random>
#include <span>

namespace tenon::test {

using Random = std::mt19937_64;

/// The plan with an edit: bytes, or (mostly) values anywhere in its description, in its network or in packed weights,
/// with all checksums recomputed.
Bytes edited(std::span<std::byte const> plan, Random& random);

} // namespace tenon::test
