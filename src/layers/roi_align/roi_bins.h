// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/roi_align/roi_align.h"

namespace tenon {

// The computation of all kernels of RoiAlign; constexpr, so that GPU kernels can call it.

/// The fields of the layer that kernels read.
struct RoiFields {
    RoiAlign::Mode mode = {};
    bool halfPixel = true;
    int64_t height = 1;
    int64_t width = 1;
    int64_t points = 0;
    float scale = 1;

    RoiFields() = default;
    explicit RoiFields(RoiAlign const& of)
        : mode(of.mode), halfPixel(of.halfPixel), height(of.height), width(of.width), points(of.points),
          scale(static_cast<float>(of.scale)) {}
};

/// The bins of a region along one side.
struct RoiSide {
    float start = 0;
    float bin = 0; // length of a bin
    int points = 0;

    constexpr RoiSide(float least, float most, int64_t bins, RoiFields const& layer) {
        float const offset = layer.halfPixel ? 0.5F : 0.F;
        start = least * layer.scale - offset;
        float length = most * layer.scale - offset - start;
        if (!layer.halfPixel && !(length > 1)) length = 1;
        bin = length / static_cast<float>(bins);
        points = layer.points > 0 ? static_cast<int>(layer.points) : countFor(bin);
    }

    constexpr float at(int64_t number, int point) const {
        return start + static_cast<float>(number) * bin +
               (static_cast<float>(point) + 0.5F) * bin / static_cast<float>(points);
    }

private:
    static constexpr int countFor(float length) {
        constexpr int kMost = RoiAlign::kMostPoints;
        if (!(length > 0)) return 0;
        if (length > kMost) return kMost;
        auto const whole = static_cast<int>(length);
        return static_cast<float>(whole) < length ? whole + 1 : whole;
    }
};

/// The two elements along one side between which a point is; none if it is outside.
struct RoiTaps {
    bool isInside = false;
    int64_t low = 0;
    int64_t high = 0;
    float ofHigh = 0; // its weight

    constexpr RoiTaps(float x, int64_t extent) : isInside(x >= -1 && x <= static_cast<float>(extent)) {
        if (!isInside) return;
        if (x < 0) x = 0;
        low = static_cast<int64_t>(x);
        if (low >= extent - 1) {
            low = high = extent - 1;
            return;
        }
        high = low + 1;
        ofHigh = x - static_cast<float>(low);
    }
};

/// An image's channel [height, width].
template <class T> struct RoiPicture {
    T const* x;
    int64_t height;
    int64_t width;
    int64_t step = 1; // between elements

    constexpr float value(int64_t row, int64_t column) const {
        return static_cast<float>(x[(row * width + column) * step]);
    }

    /// The sum of the four elements around a point by their weights, or the maximum of the products.
    constexpr float at(float y, float x, RoiAlign::Mode mode) const {
        RoiTaps const rows(y, height);
        RoiTaps const columns(x, width);
        if (!rows.isInside || !columns.isInside) return 0;
        float const products[]{(1 - rows.ofHigh) * (1 - columns.ofHigh) * value(rows.low, columns.low),
                               (1 - rows.ofHigh) * columns.ofHigh * value(rows.low, columns.high),
                               rows.ofHigh * (1 - columns.ofHigh) * value(rows.high, columns.low),
                               rows.ofHigh * columns.ofHigh * value(rows.high, columns.high)};
        float result = products[0];
        for (int i = 1; i < 4; ++i) {
            if (mode == RoiAlign::Mode::Average) result += products[i];
            if (mode == RoiAlign::Mode::Max && products[i] > result) result = products[i];
        }
        return result;
    }

    /// A bin, by its index in the region.
    constexpr float pooled(RoiSide const& down, RoiSide const& across, int64_t bin, RoiFields const& layer) const {
        float result = 0;
        for (int i = 0; i < down.points; ++i) {
            for (int j = 0; j < across.points; ++j) {
                float const point = at(down.at(bin / layer.width, i), across.at(bin % layer.width, j), layer.mode);
                if (layer.mode == RoiAlign::Mode::Average)
                    result += point;
                else if ((i == 0 && j == 0) || point > result)
                    result = point;
            }
        }
        int64_t const count = int64_t{down.points} * across.points;
        return layer.mode == RoiAlign::Mode::Max || count == 0 ? result : result / static_cast<float>(count);
    }
};

} // namespace tenon
