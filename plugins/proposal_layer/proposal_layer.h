// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"
#include "proposals.h"

#include <array>

namespace tenon::plugins::proposal_layer {

constexpr size_t kLevels = 5;
constexpr float kLeastScore = 0.01F; // the original's: an anchor with a lower score is not a region
/// A function: constants have no address on a GPU.
constexpr BoxCoding coding() { return {.move = 0.1F, .stretch = 0.2F}; }

using LevelAnchors = AnchorGrid<std::array<Anchors::Size, 3>>;
using PyramidAnchors = std::array<LevelAnchors, kLevels>;

/// The regions of images: one per anchor of each level.
template <typename Real> class Regions {
public:
    /// \param scores [N,A,2,1]; the second is the score of an object
    /// \param deltas [N,A,4,1]
    Regions(PyramidAnchors const& anchors, PluginBase::Tensor const& scores, PluginBase::Tensor const& deltas)
        : anchors_(anchors), count_(scores[1]), scores_(static_cast<Real const*>(scores.data)),
          deltas_(static_cast<Real const*>(deltas.data)) {}

    constexpr int64_t count() const { return count_; }
    constexpr Sureness surenessOf(int64_t picture, int64_t i) const {
        float const score = float(scores_[(picture * count_ + i) * 2 + 1]);
        return {score > kLeastScore ? score : Sureness::kNone};
    }
    constexpr Box boxOf(int64_t picture, Candidate const& candidate) const {
        float delta[4]{};
        for (int i = 0; i < 4; ++i) delta[i] = float(deltas_[(picture * count_ + candidate.box) * 4 + i]);
        return coding().decode(anchorOf(candidate.box), delta, {1, 1});
    }

private:
    // All levels one after another.
    constexpr Anchor anchorOf(int64_t index) const {
        size_t level = 0;
        for (; index >= anchors_[level].count(); ++level) index -= anchors_[level].count();
        return swapped(anchors_[level].at(index));
    }

    PyramidAnchors anchors_;
    int64_t count_;
    Real const *scores_, *deltas_;
};

/// Enqueues it on the stream.
/// \param inputs those of the plugin
/// \param workspace gpuNmsWorkspace() bytes
void proposeOnGpu(Selection::Limits const& limits, PyramidAnchors const& anchors, PluginBase::Tensors inputs,
                  PluginBase::Tensor const& proposals, void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::proposal_layer
