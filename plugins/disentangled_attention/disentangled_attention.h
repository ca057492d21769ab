// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formulas of DisentangledAttention_TRT; see disentangled_attention.cpp.
#pragma once

#include "plugin.h"

#include <cmath>

namespace tenon::plugins {

/// Relative positions of distances between positions.
struct RelativePlaces {
    int64_t span;
    int64_t relative; ///< Relative positions in the products, at least twice the span.

    constexpr int64_t of(int64_t distance) const {
        return std::clamp<int64_t>(bucketOf(distance) + span, 0, 2 * span - 1);
    }

private:
    // The factor slightly below 1 keeps integers exact although logarithms are not.
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

/// Enqueues it on the stream.
/// \param relativeOf room for 2 * S - 1 elements, for S positions
void disentangleOnGpu(RelativePlaces const& places, float factor, PluginBase::Tensors inputs,
                      PluginBase::Tensor const& result, uint32_t* relativeOf, cudaStream_t stream);

} // namespace tenon::plugins
