// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"
#include "proposals.h"

namespace tenon::plugins::detection_layer {

constexpr int32_t kBackground = 0;
constexpr float kLeastScore = 0.01F; // the originals': a region with a lower score is not an object

/// The fields' values.
struct Settings {
    BoxCoding coding;
    Pair last;          ///< The largest coordinates, y and x.
    int32_t firstClass; ///< Of a region.
    int32_t classes;
    float scoreThreshold;
    Selection::Limits limits;
};

/// The regions of images, and the objects in them.
template <typename Real> class Regions {
public:
    /// \param inputs those of the plugin
    Regions(Settings const& settings, PluginBase::Tensors inputs)
        : settings_(settings), count_(inputs[2][1]), deltas_(static_cast<Real const*>(inputs[0].data)),
          scores_(static_cast<Real const*>(inputs[1].data)), corners_(static_cast<Real const*>(inputs[2].data)) {}

    constexpr int64_t count() const { return count_; }
    /// The highest-scoring class of a region, if it is an object's.
    constexpr Sureness surenessOf(int64_t picture, int64_t i) const {
        Real const* const scores = scores_ + (picture * count_ + i) * settings_.classes;
        Sureness best{0, kBackground};
        for (int32_t label = settings_.firstClass; label < settings_.classes; ++label) {
            float const score = float(scores[label]);
            if (score > best.score) best = {score, label};
        }
        bool const isSure = best.score >= settings_.scoreThreshold && best.score > kLeastScore;
        return best.label != kBackground && isSure ? best : Sureness{Sureness::kNone};
    }
    constexpr Box boxOf(int64_t picture, Candidate const& object) const {
        int64_t const region = picture * count_ + object.box;
        float corners[4]{}, delta[4]{};
        for (int i = 0; i < 4; ++i) {
            corners[i] = float(corners_[region * 4 + i]);
            delta[i] = float(deltas_[(region * settings_.classes + object.label) * 4 + i]);
        }
        return settings_.coding.decode(between(corners), delta, settings_.last);
    }

private:
    Settings settings_;
    int64_t count_;
    Real const *deltas_, *scores_, *corners_;
};

/// Enqueues it on the stream.
/// \param inputs those of the plugin
/// \param workspace gpuNmsWorkspace() bytes
void detectOnGpu(Settings const& settings, PluginBase::Tensors inputs, PluginBase::Tensor const& detections,
                 void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::detection_layer
