// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"
#include "proposals.h"

namespace tenon::plugins::rproi {

/// The fields' values.
struct Settings {
    float minSize; ///< The minimum size of a region, in an image of scale 1.
    Selection::Limits limits;
    float spatialScale;
    int64_t poolingHeight, poolingWidth;
};

/// The regions of images: one per anchor.
class Regions {
public:
    /// \param inputs those of the plugin. Of scores [N,2*A,H,W], the second half of each image is the score of an
    /// object; each
    /// image has height, width and scale.
    Regions(Settings const& settings, AnyAnchors const& anchors, PluginBase::Tensors inputs)
        : minSize_(settings.minSize), scores_(inputs[0].floats()), map_{anchors, inputs[1].floats()},
          pictures_(inputs[3].floats()) {}

    constexpr int64_t count() const { return map_.anchors.count(); }
    constexpr Sureness surenessOf(int64_t picture, int64_t i) const {
        Box const box = boxAt(picture, i);
        float const least = minSize_ * pictures_[picture * 3 + 2];
        bool const isLarge = box.x2 - box.x1 + 1 >= least && box.y2 - box.y1 + 1 >= least;
        return {isLarge ? scores_[(picture * 2 + 1) * count() + i] : Sureness::kNone};
    }
    constexpr Box boxOf(int64_t picture, Candidate const& candidate) const { return boxAt(picture, candidate.box); }

private:
    constexpr Box boxAt(int64_t picture, int64_t i) const {
        float const* const extents = pictures_ + picture * 3;
        return map_.boxAt(picture, i, {extents[1] - 1, extents[0] - 1});
    }

    float minSize_;
    float const* scores_;
    MapOfBoxes<float> map_;
    float const* pictures_;
};

/// One axis of a region in its map, in integral pixels.
struct Axis {
    int64_t start, size, bins, extent;

    /// \param low \param high coordinates of the image, 0 or more
    constexpr Axis(float low, float high, float scale, int64_t bins, int64_t extent)
        : start(pixelAt(low * scale)), size(std::max<int64_t>(pixelAt(high * scale) - start + 1, 1)), bins(bins),
          extent(extent) {}

    constexpr int64_t begin(int64_t bin) const { return std::min(start + bin * size / bins, extent); }
    constexpr int64_t end(int64_t bin) const { return std::min(start + ((bin + 1) * size + bins - 1) / bins, extent); }

private:
    static constexpr int64_t pixelAt(float place) {
        constexpr float kFar = 1 << 24; // no position of a map is further away
        return int64_t(std::min(std::round(place), kFar));
    }
};

/// The maximum of a bin, ignoring NaN. 0 without pixels.
/// \param plane a channel of a map, row by row
template <typename Real>
constexpr float largestOf(Real const* plane, Axis const& y, Axis const& x, int64_t row, int64_t column) {
    int64_t const left = x.begin(column), right = x.end(column);
    bool const isEmpty = y.begin(row) >= y.end(row) || left >= right;
    float largest = isEmpty ? 0 : std::numeric_limits<float>::quiet_NaN();
    for (int64_t i = y.begin(row); i < y.end(row); ++i) {
        for (int64_t j = left; j < right; ++j) {
            float const value = float(plane[i * x.extent + j]);
            if (value > largest || largest != largest) largest = value;
        }
    }
    return largest;
}

/// Enqueues it on the stream. The tensors are those of the plugin.
/// \param anchors in host memory
/// \param workspace gpuNmsWorkspace() bytes, after takeSizes()
void proposeAndPoolOnGpu(Settings const& settings, AnyAnchors anchors, PluginBase::Tensors inputs,
                         PluginBase::Tensors outputs, void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::rproi
