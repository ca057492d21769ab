// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/grid_sample/grid_sample.h"

namespace tenon {

// The computation of all kernels of GridSample; constexpr, so that GPU kernels can call it.

/// The elements along one axis that contribute to a sample.
struct GridTaps {
    static constexpr int kMost = 4;

    int64_t at[kMost] = {}; // offsets; negative: outside, where values are zero
    float weight[kMost] = {};
};

constexpr int tapsOf(GridSample::Mode mode) {
    if (mode == GridSample::Mode::Nearest) return 1;
    return mode == GridSample::Mode::Linear ? 2 : 4;
}

namespace grid {

constexpr float clamped(float x, float least, float most) { return x < least ? least : x > most ? most : x; }

constexpr float floorOf(float x) { // of numbers in the range of int64
    auto const whole = static_cast<float>(static_cast<int64_t>(x));
    return whole > x ? whole - 1 : whole;
}

/// Rounds to the nearest integer, ties to even.
constexpr float rounded(float x) {
    float const below = floorOf(x);
    float const rest = x - below;
    bool const isOdd = static_cast<int64_t>(below) % 2 != 0;
    return rest > 0.5F || (rest == 0.5F && isOdd) ? below + 1 : below;
}

/// Reflected at both ends until it is between them.
constexpr float reflected(float x, float least, float most) {
    float const range = most - least;
    if (!(range > 0)) return least;
    float const beyond = x < least ? least - x : x - most;
    if (!(beyond > 0)) return x;
    float const turns = floorOf(beyond / range);
    float const rest = beyond - turns * range;
    bool const isEven = static_cast<int64_t>(turns) % 2 == 0;
    return isEven == (x < least) ? least + rest : most - rest;
}

/// Keys' cubic convolution with a = -3/4; `x`: the distance of the point from its second tap.
constexpr void setCubicWeights(float x, float (&weight)[GridTaps::kMost]) {
    constexpr float a = -0.75F;
    float const y = 1 - x;
    weight[0] = ((a * (x + 1) - 5 * a) * (x + 1) + 8 * a) * (x + 1) - 4 * a;
    weight[1] = ((a + 2) * x - (a + 3)) * x * x + 1;
    weight[2] = ((a + 2) * y - (a + 3)) * y * y + 1;
    weight[3] = ((a * (y + 1) - 5 * a) * (y + 1) + 8 * a) * (y + 1) - 4 * a;
}

} // namespace grid

/// One axis of X: maps a coordinate between -1 and 1 to it.
struct GridAxis {
    int64_t extent = 0;
    int64_t stride = 0;

    constexpr GridTaps taps(GridSample::Mode mode, GridSample::Padding padding, bool alignCorners, float at) const {
        auto const length = static_cast<float>(extent);
        float const least = alignCorners ? 0.F : -0.5F;
        float const most = alignCorners ? length - 1 : length - 0.5F;
        constexpr float kFar = 1e15F; // beyond this, results do not change; int64 can represent it
        if (at != at) at = -1;
        float x = alignCorners ? (at + 1) / 2 * (length - 1) : ((at + 1) * length - 1) / 2;
        x = grid::clamped(x, -kFar, kFar);
        if (mode == GridSample::Mode::Nearest) x = grid::rounded(x);
        if (x < least || x > most) {
            bool const clamps = padding == GridSample::Padding::Border && mode != GridSample::Mode::Cubic;
            if (clamps) x = grid::clamped(x, 0, length - 1); // Cubic clamps only taps: like ONNX Runtime, PyTorch
            if (padding == GridSample::Padding::Reflection) x = grid::reflected(x, least, most);
        }
        float const floor = grid::floorOf(x);
        GridTaps taps;
        taps.weight[0] = 1;
        if (mode == GridSample::Mode::Linear) taps.weight[0] = 1 - (x - floor), taps.weight[1] = x - floor;
        if (mode == GridSample::Mode::Cubic) grid::setCubicWeights(x - floor, taps.weight);
        int64_t const first = static_cast<int64_t>(floor) - (mode == GridSample::Mode::Cubic ? 1 : 0);
        for (int tap = 0; tap < tapsOf(mode); ++tap) taps.at[tap] = offset(first + tap, padding, least, most);
        return taps;
    }

private:
    constexpr int64_t offset(int64_t i, GridSample::Padding padding, float least, float most) const {
        if (i >= 0 && i < extent) return i * stride;
        if (padding == GridSample::Padding::Zeros || extent == 0) return -1;
        if (padding == GridSample::Padding::Border) return i < 0 ? 0 : (extent - 1) * stride;
        auto const inside = static_cast<int64_t>(grid::reflected(static_cast<float>(i), least, most));
        return (inside < extent ? inside : extent - 1) * stride;
    }
};

/// The sample of one channel by these taps: products of one tap of each axis from `axis` on.
template <int rank, int taps, int axis = 0, class T>
constexpr float gridSample(T const* x, GridTaps const (&axes)[rank], int64_t offset = 0) {
    if constexpr (axis == rank) {
        return static_cast<float>(x[offset]);
    } else {
        float sum = 0;
        for (int tap = 0; tap < taps; ++tap) {
            if (axes[axis].at[tap] < 0) continue;
            sum += axes[axis].weight[tap] * gridSample<rank, taps, axis + 1>(x, axes, offset + axes[axis].at[tap]);
        }
        return sum;
    }
}

} // namespace tenon
