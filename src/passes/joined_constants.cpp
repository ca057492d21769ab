// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/joined_constants.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace tenon {
namespace {

constexpr double kMostJoined = 0x1p60;
constexpr double kMostMoved = 0x1p32;

bool isPowerOfTwo(double x) {
    int exponent = 0;
    return std::isfinite(x) && std::abs(std::frexp(x, &exponent)) == 0.5;
}

} // namespace

std::optional<double> exactReciprocal(double c) {
    bool const isExact = isPowerOfTwo(c) && std::abs(c) >= 0x1p-126 && std::abs(c) <= 0x1p126;
    return isExact ? std::optional(1 / c) : std::nullopt;
}

std::optional<double> joinedFactors(double p, double q) {
    bool const isSign = std::abs(p) == 1 || std::abs(q) == 1;
    bool const grows = isPowerOfTwo(p) && std::abs(p) >= 1 && std::abs(q) >= 1 &&
                       std::abs(p * q) <= double{std::numeric_limits<float>::max()};
    return isSign || grows ? std::optional(p * q) : std::nullopt;
}

std::optional<float> scaledWeight(float weight, float factor) {
    float const scaled = weight * factor;
    bool const isSmall = std::isfinite(factor) && std::abs(weight) <= kMostJoined && std::abs(scaled) <= kMostJoined;
    bool const isZero = weight == 0 || factor == 0;
    bool const decayed = std::abs(weight) < 0x1p-100F;
    bool const keepsDigits = isZero || decayed || std::isnormal(scaled);
    return isSmall && keepsDigits ? std::optional(scaled) : std::nullopt;
}

std::optional<float> joinedBias(float bias, float factor, float shift, std::function<double()> const& sizeOfWeights) {
    double const scaled = double{bias} * double{factor};
    double const sum = scaled + double{shift};
    double const larger = std::max(std::abs(scaled), std::abs(double{shift}));
    bool const isSmall = std::abs(bias) <= kMostJoined && larger <= kMostJoined; // no NaN either
    if (!isSmall || !std::isfinite(sum)) return std::nullopt;
    bool const cancels = larger != 0 && std::abs(sum) <= 0x1p-8 * larger;
    bool const drowns = cancels && larger > 0x1p8 * sizeOfWeights();
    return drowns ? std::nullopt : std::optional(static_cast<float>(sum));
}

bool isMovableFactor(double factor) {
    double const size = std::abs(factor);
    return size == 0 || (size >= 1 / kMostMoved && size <= kMostMoved);
}

bool areMovableScales(std::span<float const> scales) {
    return std::ranges::all_of(scales, [](float scale) { return std::abs(scale) <= kMostMoved; });
}

} // namespace tenon
