// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu.h"
#include "gpu_nms.h"

#include <algorithm>
#include <cmath>

namespace tenon::plugins::efficient_nms {

enum class BoxCoding : int32_t {
    kCorners = 0,    ///< x1, y1, x2, y2
    kCenterSize = 1, ///< x, y, width, height
};

/// The network's box relative to its anchor, made absolute, in the coding of both. For corners, the smaller coordinates
/// of both correspond, and so do the larger ones.
constexpr void decode(BoxCoding coding, float const* anchor, float* box) {
    if (coding == BoxCoding::kCorners) {
        for (int i = 0; i < 2; ++i) {
            float const low = std::min(box[i], box[i + 2]) + std::min(anchor[i], anchor[i + 2]);
            box[i + 2] = std::max(box[i], box[i + 2]) + std::max(anchor[i], anchor[i + 2]);
            box[i] = low;
        }
        return;
    }
    for (int i = 0; i < 2; ++i) {
        box[i] = box[i] * anchor[i + 2] + anchor[i];
        box[i + 2] = std::exp(box[i + 2]) * anchor[i + 2];
    }
}

constexpr Box corners(BoxCoding coding, float const* box) {
    if (coding == BoxCoding::kCorners) return {box[0], box[1], box[2], box[3]};
    float const halfWidth = box[2] / 2, halfHeight = box[3] / 2;
    return {box[0] - halfWidth, box[1] - halfHeight, box[0] + halfWidth, box[1] + halfHeight};
}

/// The boxes of the inputs: boxes [B,N,4], [B,N,1,4] or [B,N,C,4], scores, and, if it exists, anchors [1,N,4] or
/// [B,N,4].
template <typename Real> class Boxes {
public:
    Boxes(PluginBase::Tensors inputs, BoxCoding coding)
        : boxes_(inputs[0]), anchors_(inputs[inputs.size() - 1]), coding_(coding), hasAnchors_(inputs.size() == 3),
          hasSameAnchors_(hasAnchors_ && inputs[2][0] == 1) {}

    /// The corners of a candidate's box.
    constexpr Box operator()(int64_t picture, Candidate const& candidate) const {
        float box[4]{};
        for (int i = 0; i < 4; ++i) box[i] = float(boxes_.at(picture, candidate)[i]);
        if (hasAnchors_) {
            float anchor[4]{};
            for (int i = 0; i < 4; ++i) anchor[i] = float(anchors_.at(hasSameAnchors_ ? 0 : picture, candidate)[i]);
            decode(coding_, anchor, box);
        }
        return corners(coding_, box);
    }

private:
    BoxesOf<Real> boxes_, anchors_;
    BoxCoding coding_;
    bool hasAnchors_, hasSameAnchors_;
};

/// Options for the inputs of Boxes.
struct Selection {
    NmsRules rules;
    BoxCoding coding;
    bool hasSigmoid; ///< Applied to scores.
    bool clipsBoxes;
};

/// Enqueues the computation of num_detections, detection_boxes, detection_scores, detection_classes.
/// \param workspace gpuNmsWorkspace() bytes
void detectOnGpu(Selection const& selection, Rows rows, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                 void* workspace, cudaStream_t stream);

/// Enqueues the computation of selected_indices.
/// \param workspace the same, after takeCount()
void selectOnGpu(Selection const& selection, Rows rows, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                 void* workspace, cudaStream_t stream);

/// Room for the number of rows of all images.
inline int32_t* takeCount(GpuPieces& pieces) { return pieces.take<int32_t>({1}); }

/// The common part of the family's plugins; each has its own names for some of the fields, and declares those that it
/// has.
class Family : public GpuPlugin {
public:
    void check() const override;
    size_t gpuWorkspace(KnownShapes largestInputs) const override {
        return gpuNmsWorkspace(selection(0, 0).rules, NmsExtents::of(largestInputs[1]));
    }

protected:
    virtual char const* codingField() const { return "box_coding"; }

    /// \param most of an image; of a class, a negative number is no limit
    Selection selection(int64_t most, int64_t mostOfAClass) const;
    void select(Selection const& selection, Tensors inputs);
    /// The same, and num_detections, detection_boxes, detection_scores, detection_classes of those. Padding is zero.
    void detect(Selection const& selection, Rows rows, Tensors inputs, Tensors outputs);

    float scoreThreshold_ = 0.5F;
    float iouThreshold_ = 0.5F;
    int32_t backgroundClass_ = -1;
    int32_t scoreActivation_ = 0;
    int32_t classAgnostic_ = 0;
    int32_t boxCoding_ = 0;
    int32_t clipBoxes_ = 0;

    Nms<KeptBoxes> nms_; // a list for each image

private:
    void writePicture(Selection const& selection, Tensors inputs, Tensors outputs, int64_t picture, int64_t first,
                      int64_t end);
};

} // namespace tenon::plugins::efficient_nms
