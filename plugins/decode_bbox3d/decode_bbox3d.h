// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The formulas of DecodeBbox3DPlugin; see decode_bbox3d.cpp.
#pragma once

#include "gpu_finder.h"
#include "scores.h"

#include <cmath>
#include <numbers>
#include <vector>

namespace tenon::plugins {

inline constexpr int32_t kBbox3dAnchorsOfClass = 2;

struct Bbox3dAnchor {
    float size[3]; ///< Along x, y, z.
    float rotation, bottom;
};

/// The network's outputs for each anchor of each position of a map: boxes are numbered by position, then by anchor.
struct Bbox3dMap {
    static constexpr int64_t kResiduals = 7; ///< x, y, z, dx, dy, dz, rotation
    static constexpr int64_t kBoxSize = 9;   ///< The same, class, score.

    float const *scores, *residuals, *directionScores; ///< Of each box: `classes`, kResiduals, `directions`.
    int64_t rows, columns;
    float range[6]; ///< The least x, y, z, then the largest.
    int32_t classes, directions;
    float directionOffset, limitOffset;
    float leastScore; ///< Of a detected box, before the sigmoid.

    constexpr int64_t anchors() const { return int64_t{classes} * kBbox3dAnchorsOfClass; }
    /// Of a frame.
    constexpr int64_t boxes() const { return rows * columns * anchors(); }

    /// \param box its index among those of all frames
    constexpr Best best(int64_t box) const { return bestOf(scores + box * classes, classes, 1); }
    /// Whether the best score is above the threshold, i.e. any is: without branches, which would be unpredictable.
    constexpr bool isFound(int64_t box) const {
        bool isFound = false;
        for (int32_t i = 0; i < classes; ++i) isFound |= scores[box * classes + i] >= leastScore;
        return isFound;
    }

    /// \param box its index in its frame
    /// \param out kBoxSize elements
    constexpr void decode(int64_t frame, int64_t box, Bbox3dAnchor const& anchor, float* out) const {
        int64_t const number = frame * boxes() + box, place = box / anchors();
        float const* const residual = residuals + number * kResiduals;
        float const(&size)[3] = anchor.size;
        float const diagonal = std::sqrt(size[0] * size[0] + size[1] * size[1]);
        Best const own = best(number);
        out[0] = residual[0] * diagonal + placeOn(0, place % columns, columns);
        out[1] = residual[1] * diagonal + placeOn(1, place / columns, rows);
        out[2] = residual[2] * size[2] + (size[2] / 2 + anchor.bottom);
        for (int axis = 0; axis < 3; ++axis) out[3 + axis] = std::exp(residual[3 + axis]) * size[axis];
        out[6] = rotation(residual[6] + anchor.rotation, directionScores + number * directions);
        out[7] = float(own.index);
        out[8] = sigmoid(own.score);
    }

private:
    // The anchors span the range from end to end.
    constexpr float placeOn(int axis, int64_t index, int64_t count) const {
        float const first = range[axis], last = range[axis + 3];
        return count > 1 ? first + float(index) * (last - first) / float(count - 1) : first;
    }

    // Within a period from dir_offset on, plus the direction's index in periods: the last of equal scores.
    constexpr float rotation(float angle, float const* own) const {
        int32_t direction = 0;
        for (int32_t i = 1; i < directions; ++i)
            if (!(own[direction] > own[i])) direction = i;
        float const period = 2 * std::numbers::pi_v<float> / float(directions), turned = angle - directionOffset;
        float const within = turned - std::floor(turned / period + limitOffset) * period;
        return within + directionOffset + period * float(direction);
    }
};

/// Enqueues it on the stream. \param outputs those of the plugin
void decodeBbox3dOnGpu(Bbox3dMap const& map, std::vector<Bbox3dAnchor> const& anchors, GpuFinder const& finder,
                       PluginBase::Tensors outputs, cudaStream_t stream);

} // namespace tenon::plugins
