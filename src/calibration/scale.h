// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include <algorithm>
#include <limits>

namespace tenon {

constexpr float kMostInt8 = 127; // symmetric: -128 is not used, as the API documents

/// The scale of a tensor of zeros: any scale represents 0; a range of 1 leaves room for later values.
constexpr float kScaleOfZeros = 1 / kMostInt8;

/// Kernels multiply by scales and divide by them: scales must not be subnormal.
constexpr float normalScale(float scale) { return std::max(scale, std::numeric_limits<float>::min()); }

/// The int8 scale for magnitudes up to `most`; 0 if they are all 0.
constexpr float scaleUpTo(float most) { return most == 0 ? 0 : normalScale(most / kMostInt8); }

} // namespace tenon
