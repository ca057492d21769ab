// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "layers/deform_convolution/deform_convolution.h"

namespace tenon {

// The computation of all kernels of DeformConvolution; constexpr, so that GPU kernels can call it.

/// The four elements of a channel around a point, and their weights; -1: outside.
struct DeformTaps {
    int64_t at[4] = {-1, -1, -1, -1};
    float weight[4] = {};

    constexpr DeformTaps(float y, float x, int64_t height, int64_t width) {
        bool const isNear = y > -1 && x > -1 && y < static_cast<float>(height) && x < static_cast<float>(width);
        if (!isNear) return; // also NaN
        int64_t const top = static_cast<int64_t>(y + 1) - 1;
        int64_t const left = static_cast<int64_t>(x + 1) - 1;
        float const down = y - static_cast<float>(top);
        float const right = x - static_cast<float>(left);
        for (int i = 0; i < 4; ++i) {
            int64_t const row = top + i / 2;
            int64_t const column = left + i % 2;
            if (row < 0 || row >= height || column < 0 || column >= width) continue;
            at[i] = row * width + column;
            weight[i] = (i / 2 == 0 ? 1 - down : down) * (i % 2 == 0 ? 1 - right : right);
        }
    }

    template <class T> constexpr float of(T const* channel) const {
        float sum = 0;
        for (int i = 0; i < 4; ++i) sum += at[i] < 0 ? 0 : weight[i] * static_cast<float>(channel[at[i]]);
        return sum;
    }
};

/// All parameters. A row: a part of the channels of a batch item, and a filter element.
struct DeformPlaces {
    int64_t channels, height, width; // of X
    int64_t rows, columns;           // positions of the filters
    int64_t kernelHeight, kernelWidth;
    int64_t strideDown, strideRight, dilationDown, dilationRight, above, left;
    int64_t parts;

    DeformPlaces() = default;
    DeformPlaces(DeformConvolution const& layer, Dims const& x, Dims const& w, Dims const& moves)
        : channels(x[1]), height(x[2]), width(x[3]), rows(moves[2]), columns(moves[3]), kernelHeight(w[2]),
          kernelWidth(w[3]), strideDown(layer.strides[0]), strideRight(layer.strides[1]),
          dilationDown(layer.dilations[0]), dilationRight(layer.dilations[1]), above(layer.pads[0]),
          left(layer.pads[1]), parts(layer.parts) {}

    constexpr int64_t kernel() const { return kernelHeight * kernelWidth; }
    constexpr int64_t places() const { return rows * columns; }
    constexpr int64_t channelsOfPart() const { return channels / parts; }

    /// The elements around the filter element of row `row`, at a position.
    template <class T> constexpr DeformTaps taps(T const* moves, int64_t row, int64_t place) const {
        int64_t const element = row % kernel();
        auto const down = static_cast<float>(moves[2 * row * places() + place]);
        auto const right = static_cast<float>(moves[(2 * row + 1) * places() + place]);
        int64_t const y = place / columns * strideDown - above + element / kernelWidth * dilationDown;
        int64_t const x = place % columns * strideRight - left + element % kernelWidth * dilationRight;
        return {static_cast<float>(y) + down, static_cast<float>(x) + right, height, width};
    }
    /// The channel of X that is the `c`th of the row's part.
    constexpr int64_t channel(int64_t row, int64_t c) const { return row / kernel() * channelsOfPart() + c; }
    /// The index of that channel's value in the columns.
    constexpr int64_t column(int64_t row, int64_t c, int64_t place) const {
        return (channel(row, c) * kernel() + row % kernel()) * places() + place;
    }
};

} // namespace tenon
