// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"
#include "proposals.h"

#include <array>

namespace tenon::plugins::proposal {

/// The fields' values.
struct Settings {
    Pair last;     ///< Coordinates of an image.
    float minSize; ///< The minimum size of a region, exclusive.
    Selection::Limits limits;
};

/// The regions of images: one per anchor.
template <typename Real> class Regions {
public:
    /// \param inputs those of the plugin
    Regions(Settings const& settings, AnyAnchors const& anchors, PluginBase::Tensors inputs)
        : last_(settings.last), minSize_(settings.minSize),
          scores_(static_cast<Real const*>(inputs[0].data)), map_{anchors, static_cast<Real const*>(inputs[1].data)} {}

    constexpr int64_t count() const { return map_.anchors.count(); }
    constexpr Sureness surenessOf(int64_t picture, int64_t i) const {
        Box const box = map_.boxAt(picture, i, last_);
        bool const isLarge = box.x2 - box.x1 > minSize_ && box.y2 - box.y1 > minSize_;
        return {isLarge ? float(scores_[picture * count() + i]) : Sureness::kNone};
    }
    constexpr Box boxOf(int64_t picture, Candidate const& candidate) const {
        return map_.boxAt(picture, candidate.box, last_);
    }

private:
    Pair last_;
    float minSize_;
    Real const* scores_;
    MapOfBoxes<Real> map_;
};

/// A box in the output's form.
constexpr std::array<float, 4> sharesOf(Box const& box, Pair last) {
    return {box.y1 / last.second, box.x1 / last.first, box.y2 / last.second, box.x2 / last.first};
}

/// Enqueues it on the stream.
/// \param anchors in host memory
/// \param workspace gpuNmsWorkspace() bytes, after takeSizes()
void proposeOnGpu(Settings const& settings, AnyAnchors anchors, PluginBase::Tensors inputs,
                  PluginBase::Tensor const& rois, void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::proposal
