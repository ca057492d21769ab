// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/resize/resize.h"

#include "base/error.h"

#include <algorithm>
#include <cmath>

namespace tenon {
namespace {

using Coordinates = Resize::Coordinates;

constexpr int64_t kMostTaps = int64_t{1} << 26; // of an axis: some for each element of X or of Y

/// The coordinate in X of element i of Y. In float, like ONNX Runtime, so that ties are resolved alike.
float originOf(Resize const& layer, ResizedAxis const& axis, int64_t i) {
    auto const at = static_cast<float>(i);
    auto const from = static_cast<float>(axis.from);
    auto const to = static_cast<float>(axis.to);
    if (axis.to == 1 && layer.selector == Resize::Selector::Upper) return 0;
    switch (layer.coordinates) {
    case Coordinates::AlignCorners: return axis.to == 1 ? 0 : at * (from - 1) / (to - 1);
    case Coordinates::Asymmetric: return at / axis.scale;
    case Coordinates::HalfPixel: return (at + 0.5F) / axis.scale - 0.5F;
    case Coordinates::PytorchHalfPixel: return axis.to == 1 ? 0 : (at + 0.5F) / axis.scale - 0.5F;
    case Coordinates::TfHalfPixel: return (at + 0.5F) / axis.scale;
    case Coordinates::HalfPixelSymmetric:
        return from / 2 * (1 - to / (axis.scale * from)) + (at + 0.5F) / axis.scale - 0.5F;
    case Coordinates::TfCropAndResize: break;
    }
    float const part = axis.roiEnd - axis.roiStart;
    if (axis.to == 1) return 0.5F * (axis.roiStart + axis.roiEnd) * (from - 1);
    return axis.roiStart * (from - 1) + at * part * (from - 1) / (to - 1);
}

int64_t rounded(float at, Resize::Rounding rounding) {
    switch (rounding) {
    case Resize::Rounding::HalfUp: return static_cast<int64_t>(std::floor(at + 0.5F));
    case Resize::Rounding::HalfDown: return static_cast<int64_t>(std::ceil(at - 0.5F));
    case Resize::Rounding::Floor: return static_cast<int64_t>(std::floor(at));
    case Resize::Rounding::Ceil:
    case Resize::Rounding::CeilIfSmaller: break; // resolved by roundingOn()
    }
    return static_cast<int64_t>(std::ceil(at));
}

/// Clamps a coordinate, so that it converts to an integer: beyond this all elements are outside of X. NaN becomes
/// -kFar.
float inReach(float at) {
    constexpr float kFar = 1LL << 40;
    return at > -kFar ? std::min(at, kFar) : -kFar;
}

/// The weight of an element at this distance from the sampled point.
float weightAt(float distance, Resize const& layer) {
    float const x = std::abs(distance);
    if (layer.mode == Resize::Mode::Linear) return std::max(0.0F, 1 - x);
    auto const a = static_cast<float>(layer.cubicCoeff);
    if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
    return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

/// The filter around a point: elements from floor(point) - reach + 1 to floor(point) + reach.
struct Filter {
    float shrink; // how much wider than the plain filter, as a factor of distances
    int64_t reach;

    Filter(Resize const& layer, ResizedAxis const& axis) {
        int64_t const plain = layer.mode == Resize::Mode::Linear ? 1 : 2;
        shrink = layer.antialias ? std::min(axis.scale, 1.0F) : 1;
        float const wide = std::min(static_cast<float>(plain) / shrink, static_cast<float>(kMostTaps));
        reach = layer.antialias ? static_cast<int64_t>(std::ceil(wide)) : plain;
    }
};

void weigh(Resize const& layer, Filter const& filter, float at, std::span<float> weights, int64_t first,
           int64_t extent) {
    float sum = 0;
    for (size_t k = 0; k < weights.size(); ++k) {
        int64_t const index = first + static_cast<int64_t>(k);
        bool const left = layer.excludeOutside && (index < 0 || index >= extent);
        weights[k] = left ? 0 : weightAt((static_cast<float>(index) - at) * filter.shrink, layer);
        sum += weights[k];
    }
    if (sum == 0 || (!layer.excludeOutside && !layer.antialias)) return;
    for (float& weight : weights) weight /= sum;
}

} // namespace

Taps tapsOf(Resize const& layer, ResizedAxis const& axis) {
    bool const nearest = layer.mode == Resize::Mode::Nearest;
    Resize::Rounding const rounding = roundingOn(axis, layer);
    Filter const filter(layer, axis);
    Taps taps;
    taps.count = nearest ? 1 : 2 * filter.reach;
    if (taps.count > kMostTaps / std::max<int64_t>(axis.to, 1))
        fail(ErrorCode::Unsupported, "resizing axis ", axis.axis, " from ", axis.from, " to ", axis.to,
             " with a scale of ", axis.scale, " needs ", taps.count, " weights for each element; at most ", kMostTaps,
             " are supported in all");
    taps.weight.assign(static_cast<size_t>(axis.to * taps.count), 1);
    for (int64_t i = 0; i < axis.to; ++i) {
        float const at = inReach(originOf(layer, axis, i));
        if (layer.coordinates == Coordinates::TfCropAndResize)
            taps.outside.push_back(at < 0 || at > static_cast<float>(axis.from - 1) ? 1 : 0);
        int64_t const first = nearest ? rounded(at, rounding) : static_cast<int64_t>(std::floor(at)) - filter.reach + 1;
        for (int64_t k = 0; k < taps.count; ++k) taps.index.push_back(std::clamp<int64_t>(first + k, 0, axis.from - 1));
        if (nearest) continue;
        std::span const all(taps.weight);
        auto const count = static_cast<size_t>(taps.count);
        weigh(layer, filter, at, all.subspan(static_cast<size_t>(i) * count, count), first, axis.from);
    }
    return taps;
}

} // namespace tenon
