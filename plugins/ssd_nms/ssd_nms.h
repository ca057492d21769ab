// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"

#include <cmath>
#include <utility>

namespace tenon::plugins::ssd_nms {

/// The field codeType.
enum class Code : int32_t { kCorner, kCenterSize, kCornerSize, kTfCenter };

/// \param prior four elements, x and y alternating, as in the others
/// \param said the network's location, times the variance
constexpr Box besideCorners(float const* prior, float const* said, bool isInSizes) {
    float const width = isInSizes ? prior[2] - prior[0] : 1, height = isInSizes ? prior[3] - prior[1] : 1;
    return {prior[0] + said[0] * width, prior[1] + said[1] * height, prior[2] + said[2] * width,
            prior[3] + said[3] * height};
}

/// Of the same.
constexpr Box aroundMiddle(float const* prior, float const* said) {
    float const width = prior[2] - prior[0], height = prior[3] - prior[1];
    float const x = (prior[0] + prior[2]) / 2 + said[0] * width, y = (prior[1] + prior[3]) / 2 + said[1] * height;
    float const halfWidth = std::exp(said[2]) * width / 2, halfHeight = std::exp(said[3]) * height / 2;
    return {x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight};
}

/// The fields on boxes.
struct BoxRules {
    Code code;
    bool hasVariances;       ///< The network's locations are to be multiplied by them.
    bool hasSamePriors;      ///< Those of the first image apply to all.
    int64_t boxesOfLocation; ///< 1, or the number of classes.
};

/// The boxes of the inputs.
template <typename Real> class Boxes {
public:
    /// \param locations [B,4*N,1,1] or [B,4*C*N,1,1]
    /// \param priors [1 or B,2,4*N,1]
    Boxes(BoxRules const& rules, PluginBase::Tensor const& locations, PluginBase::Tensor const& priors)
        : rules_(rules), locations_(static_cast<Real const*>(locations.data)),
          priors_(static_cast<Real const*>(priors.data)), count_(priors[2] / 4),
          hasSamePriors_(rules.hasSamePriors || priors[0] == 1) {}

    constexpr Box operator()(int64_t picture, Candidate const& candidate) const {
        Real const* const prior = priors_ + ((hasSamePriors_ ? 0 : picture) * 2 * count_ + candidate.box) * 4;
        Real const* const variance = prior + count_ * 4;
        int64_t const each = rules_.boxesOfLocation, label = each > 1 ? candidate.label : 0;
        Real const* const location = locations_ + ((picture * count_ + candidate.box) * each + label) * 4;
        float said[4]{}, corners[4]{};
        for (int i = 0; i < 4; ++i) said[i] = float(location[i]), corners[i] = float(prior[i]);
        if (rules_.code == Code::kTfCenter) std::swap(said[0], said[1]), std::swap(said[2], said[3]);
        for (int i = 0; i < 4 && rules_.hasVariances; ++i) said[i] *= float(variance[i]);
        bool const isInSizes = rules_.code == Code::kCornerSize;
        if (rules_.code == Code::kCorner || isInSizes) return besideCorners(corners, said, isInSizes);
        return aroundMiddle(corners, said);
    }

private:
    BoxRules rules_;
    Real const *locations_, *priors_;
    int64_t count_;
    bool hasSamePriors_;
};

/// The inputs in this order.
struct Inputs {
    PluginBase::Tensor const &locations, &scores, &priors;
};

/// Scores go through a sigmoid.
enum class Scale { kAsTheyAre, kSigmoid };

/// Enqueues it on the stream. If rows are padded, the first of the outputs, which are those of the plugin, has
/// NmsRules::perPicture detections of each image.
/// \param workspace gpuNmsWorkspace() bytes
void detectOnGpu(NmsRules const& rules, NmsExtents const& extents, BoxRules const& boxes, Scale scale, Rows rows,
                 Inputs const& inputs, PluginBase::Tensors outputs, void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::ssd_nms
