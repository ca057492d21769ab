// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <limits>

namespace tenon {

constexpr float kMostInt8 = 127; // symmetric: -128 is left out, as the API documents it

/// The scale of a tensor of zeros: any tells 0; a range of 1 leaves something for later values.
constexpr float kScaleOfZeros = 1 / kMostInt8;

/// Kernels multiply by scales and divide by them: none is subnormal.
constexpr float normalScale(float scale) { return std::max(scale, std::numeric_limits<float>::min()); }

/// By which numbers up to `most` are kept in int8; 0 where they are all 0.
constexpr float scaleUpTo(float most) { return most == 0 ? 0 : normalScale(most / kMostInt8); }

} // namespace tenon
