// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "nms.h"

namespace tenon::plugins::efficient_nms {

/// What the plugins of the family do; each has its own names for some of the fields, and shows those that it has.
class Family : public PluginBase {
public:
    void check() const override;

protected:
    virtual char const* codingField() const { return "box_coding"; }

    /// Selects boxes of inputs boxes [B,N,4], [B,N,1,4] or [B,N,C,4], scores [B,N,C] or [B,N,C,1], and, where it is
    /// there, anchors [1,N,4] or [B,N,4].
    /// \param most of a picture; of a class, a negative number is no limit
    void select(Tensors inputs, int64_t most, int64_t mostOfAClass);
    /// num_detections, detection_boxes, detection_scores, detection_classes of those. What is left becomes zero.
    void write(Tensors inputs, Tensors outputs);

    float scoreThreshold_ = 0.5F;
    float iouThreshold_ = 0.5F;
    int32_t backgroundClass_ = -1;
    int32_t scoreActivation_ = 0;
    int32_t classAgnostic_ = 0;
    int32_t boxCoding_ = 0;
    int32_t clipBoxes_ = 0;

    Nms<KeptBoxes> nms_; // a list for each picture

private:
    Box boxOf(Tensors inputs, int64_t picture, Candidate const& candidate) const;
    void writePicture(Tensors inputs, Tensors outputs, int64_t picture);
};

} // namespace tenon::plugins::efficient_nms
