// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "plugin.h"

namespace tenon::plugins {

/// Boxes of the same sizes around the centre of each position of a feature map. Sizes and steps have one unit:
/// fractions of the image's width and height, or pixels; so have the boxes.
struct Anchors {
    struct Size {
        float width, height;
    };

    int64_t rows, columns;     ///< Of the feature map.
    float stepDown, stepRight; ///< From one position to the next.
    float offset;              ///< Of a centre in its position, in steps.
    std::vector<Size> sizes;
    bool areClipped = false; ///< Written edges are clipped to [0, 1].

    int64_t count() const { return rows * columns * int64_t(sizes.size()); }

    /// Writes [2,count(),4]: x and y of the upper left and the lower right corner of each box, position by position, in
    /// the order of the sizes; and then `variance`, four elements, for each.
    void write(std::vector<float> const& variance, float* to) const;

    /// Enqueues the same on the stream, `samples` times in sequence.
    void writeOnGpu(std::vector<float> const& variance, int64_t samples, float* to, cudaStream_t stream) const;
};

/// The positions of boxes along an axis.
struct AnchorAxis {
    float step, offset;
    bool isClipped;

    constexpr float middle(int64_t place) const { return (float(place) + offset) * step; }
    constexpr float edge(float middle, float length, bool isLast) const {
        float const edge = isLast ? middle + length / 2 : middle - length / 2;
        return isClipped ? std::clamp(edge, 0.0F, 1.0F) : edge;
    }
};

/// Throws std::invalid_argument, with the name of the field, if `variance` is not four finite numbers.
void checkVariance(std::vector<float> const& variance);

/// Throws std::invalid_argument, with the name of the field, if one of `values` is not finite and positive.
void checkPositive(char const* field, std::vector<float> const& values);

} // namespace tenon::plugins
