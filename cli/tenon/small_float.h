// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <cstdint>

namespace tenon::cli {

/// A binary float of few bits, described by sign, exponent and fraction.
struct SmallFloat {
    int exponentBits;
    int fractionBits;
    enum { kInfinity, kOneNan, kNumbers } top; // the meaning of the largest exponent
};

constexpr SmallFloat kHalf{5, 10, SmallFloat::kInfinity};
constexpr SmallFloat kBFloat{8, 7, SmallFloat::kInfinity};
constexpr SmallFloat kFloat8{4, 3, SmallFloat::kOneNan};  // E4M3: only with the largest fraction
constexpr SmallFloat kFloat4{2, 1, SmallFloat::kNumbers}; // E2M1

float decode(uint32_t bits, SmallFloat kind);
/// For values from -1 to 1, rounded towards zero.
uint32_t encode(float value, SmallFloat kind);
/// E8M0: a power of two.
float decodeScale(uint8_t bits);

} // namespace tenon::cli
