// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"
#include "proposals.h"

#include <array>

namespace tenon::plugins::proposal {

/// What the fields say.
struct Settings {
    Pair last;     ///< Coordinates of a picture.
    float minSize; ///< A region is larger.
    Selection::Limits limits;
};

/// The regions of pictures: of each anchor, one.
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

/// A box as it is put out.
constexpr std::array<float, 4> sharesOf(Box const& box, Pair last) {
    return {box.y1 / last.second, box.x1 / last.first, box.y2 / last.second, box.x2 / last.first};
}

/// Puts it on the stream.
/// \param anchors in memory of the host
/// \param workspace as many bytes as gpuNmsWorkspace() says behind takeSizes()
void proposeOnGpu(Settings const& settings, AnyAnchors anchors, PluginBase::Tensors inputs,
                  PluginBase::Tensor const& rois, void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::proposal
