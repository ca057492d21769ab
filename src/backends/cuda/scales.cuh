// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "base/quantize.h"
#include "graph/format.h"

namespace tenon::cuda {

/// Conversion between the values of two labels.
class Scales {
public:
    Scales(Label const& from, Label const& to) : from_(from), to_(to), areSame_(sameElements(from, to)) {}

    template <class Y, class X> __device__ __forceinline__ Y convert(X x) const {
        if constexpr (isByte<X> || isByte<Y>) {
            if (areSame_ || (from_.scale == 0 && to_.scale == 0)) return convertTo<Y>(x);
            float const number = toFloat(x);
            float const real = from_.scale == 0 ? number : (number - static_cast<float>(from_.zero)) * from_.scale;
            if constexpr (isByte<Y>) {
                if (to_.scale != 0) return quantize<Y>(real, to_.scale, to_.zero);
            }
            return convertTo<Y>(real);
        }
        return convertTo<Y>(x);
    }

private:
    template <class T> static constexpr bool isByte = std::is_same_v<T, int8_t> || std::is_same_v<T, uint8_t>;

    struct Grid {
        float scale;
        int32_t zero;
        explicit Grid(Label const& label) : scale(label.scale), zero(label.zero) {}
    };

    Grid from_, to_;
    bool areSame_;
};

} // namespace tenon::cuda
