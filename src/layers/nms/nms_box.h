// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/sort_key.h"
#include "layers/nms/nms.h"

#include <algorithm>
#include <bit>

namespace tenon {

// The computation of all kernels of Nms; constexpr, so that GPU kernels can call it.

/// From its lowest corner to its highest.
struct NmsBox {
    float left = 0;
    float top = 0;
    float right = 0;
    float bottom = 0;

    constexpr float area() const { return (right - left) * (bottom - top); }
};

constexpr NmsBox nmsBox(Nms::Format format, float a, float b, float c, float d) {
    if (format == Nms::Format::Centers) return {a - c / 2, b - d / 2, a + c / 2, b + d / 2};
    return {a < c ? a : c, b < d ? b : d, a < c ? c : a, b < d ? d : b};
}

/// intersection / union > most. Boxes without area do not overlap.
constexpr bool overlap(NmsBox const& a, NmsBox const& b, float most) {
    float const width = (a.right < b.right ? a.right : b.right) - (a.left > b.left ? a.left : b.left);
    float const height = (a.bottom < b.bottom ? a.bottom : b.bottom) - (a.top > b.top ? a.top : b.top);
    if (!(width > 0) || !(height > 0) || !(a.area() > 0) || !(b.area() > 0)) return false;
    float const both = width * height;
    return both / (a.area() + b.area() - both) > most;
}

/// A number that falls as the score rises, so that the smallest is the best; NaN, which is not a candidate, has the
/// largest.
constexpr uint32_t kNoCandidate = UINT32_MAX;
constexpr uint32_t rankOf(float score) {
    constexpr bool kReversed = true;
    constexpr bool kNanFirst = false;
    constexpr KeyRule kRule(DataType::Float32, kReversed, kNanFirst);
    return kRule.keyOf(std::bit_cast<uint32_t>(score));
}

} // namespace tenon
