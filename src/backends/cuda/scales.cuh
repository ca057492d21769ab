// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "base/quantize.h"

namespace tenon::cuda {

/// The scales of two labels (0: none) between which elements are converted.
struct Scales {
    float from = 0;
    float to = 0;

    template <class Y, class X> __device__ __forceinline__ Y convert(X x) const {
        constexpr bool kMayBeScaled = std::is_same_v<X, int8_t> || std::is_same_v<Y, int8_t>;
        if constexpr (kMayBeScaled) {
            if (from != to) {
                float const real = from == 0 ? toFloat(x) : toFloat(x) * from;
                if constexpr (std::is_same_v<Y, int8_t>) {
                    if (to != 0) return quantize(real, to);
                }
                return convertTo<Y>(real);
            }
        }
        return convertTo<Y>(x);
    }
};

} // namespace tenon::cuda
