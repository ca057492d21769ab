// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"
#include "proposals.h"

#include <array>

namespace tenon::plugins::multilevel_propose_roi {

constexpr size_t kLevels = 5;
/// A function: constants have no address on a GPU.
constexpr BoxCoding coding() { return {.mostStretch = kMostStretch, .border = 1}; }

using LevelAnchors = AnchorGrid<std::array<Anchors::Size, 3>>;
using PyramidAnchors = std::array<LevelAnchors, kLevels>;

/// The fields' values.
struct Settings {
    Pair last; ///< Coordinates of an image, y and x.
    float scoreThreshold;
    Selection::Limits limits; ///< Of each level.
};

/// The regions of a level in images: one per anchor. Their class is the level.
template <typename Real> class Regions {
public:
    Regions() = default;
    /// \param inputs those of the plugin
    Regions(Settings const& settings, PyramidAnchors const& anchors, PluginBase::Tensors inputs, size_t level)
        : last_(settings.last), scoreThreshold_(settings.scoreThreshold), level_(int32_t(level)),
          anchors_(anchors[level]), deltas_(static_cast<Real const*>(inputs[level * 2].data)),
          scores_(static_cast<Real const*>(inputs[level * 2 + 1].data)) {}

    constexpr int64_t count() const { return anchors_.count(); }
    constexpr Sureness surenessOf(int64_t picture, int64_t i) const {
        float const score = float(scores_[picture * count() + i]);
        return {score >= scoreThreshold_ && score > 0 ? score : Sureness::kNone, level_};
    }
    constexpr Box boxOf(int64_t picture, Candidate const& candidate) const {
        float delta[4]{};
        for (int i = 0; i < 4; ++i) delta[i] = float(deltas_[(picture * count() + candidate.box) * 4 + i]);
        return coding().decode(swapped(anchors_.at(candidate.box)), delta, last_);
    }

private:
    Pair last_;
    float scoreThreshold_;
    int32_t level_;
    LevelAnchors anchors_;
    Real const *deltas_, *scores_;
};

/// A class for each level, and the number of regions of the largest.
NmsExtents extentsOf(PyramidAnchors const& anchors, int64_t pictures);

/// Enqueues it on the stream.
/// \param inputs those of the plugin
/// \param workspace gpuNmsWorkspace() bytes
void proposeOnGpu(Settings const& settings, PyramidAnchors const& anchors, PluginBase::Tensors inputs,
                  PluginBase::Tensor const& proposals, void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::multilevel_propose_roi
