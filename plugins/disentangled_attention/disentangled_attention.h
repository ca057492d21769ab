// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formulas of DisentangledAttention_TRT; what they are, disentangled_attention.cpp says.
#pragma once

#include "plugin.h"

#include <cmath>

namespace tenon::plugins {

/// Relative places of distances between places.
struct RelativePlaces {
    int64_t span;
    int64_t relative; ///< Relative places that the products have, at least twice the span.

    constexpr int64_t of(int64_t distance) const {
        return std::clamp<int64_t>(bucketOf(distance) + span, 0, 2 * span - 1);
    }

private:
    // The product with a little less than 1 keeps a whole number what it is, though logarithms are not exact.
    constexpr int64_t bucketOf(int64_t distance) const {
        int64_t const mid = span / 2, length = distance < 0 ? -distance : distance;
        if (length <= mid || mid == 0) return distance;
        double const steps = double(mid - 1) / std::log(double(relative - 1) / double(mid)) * (1 - 1e-7);
        auto const bucket = int64_t(std::ceil(std::log(double(length) / double(mid)) * steps)) + mid;
        return distance < 0 ? -bucket : bucket;
    }
};

/// The score of a query and a key.
constexpr float disentangledScore(float own, float toPlace, float toQuery, float factor) {
    return (own + toPlace + toQuery) * factor;
}

/// Puts it on the stream.
/// \param relativeOf room for 2 * S - 1 numbers, with S places
void disentangleOnGpu(RelativePlaces const& places, float factor, PluginBase::Tensors inputs,
                      PluginBase::Tensor const& result, uint32_t* relativeOf, cudaStream_t stream);

} // namespace tenon::plugins
