// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu_nms.h"
#include "rotated_boxes.h"

namespace tenon::plugins::rotated_nms {

/// Boxes of a tensor [B,N,5], [B,N,1,5] or [B,N,C,5]; the last has a box per class.
template <typename Real> class Boxes {
public:
    explicit Boxes(PluginBase::Tensor const& tensor)
        : data_(static_cast<Real const*>(tensor.data)), boxes_(tensor[1]), each_(tensor.rank() == 4 ? tensor[2] : 1) {}

    constexpr RotatedBox operator()(int64_t picture, Candidate const& candidate) const {
        int64_t const label = each_ > 1 ? candidate.label : 0;
        Real const* const box = data_ + ((picture * boxes_ + candidate.box) * each_ + label) * 5;
        return {float(box[0]), float(box[1]), float(box[2]), float(box[3]), float(box[4])};
    }

private:
    Real const* data_;
    int64_t boxes_, each_;
};

/// A row of dets and its label. Padding is 0, of labels -1.
struct Detection {
    float box[5], score;
    int32_t label;

    static constexpr Detection none() { return {{}, 0, -1}; }
    static constexpr Detection of(RotatedBox const& box, Candidate const& kept, bool isClipped) {
        Detection detection{{box.x, box.y, box.width, box.height, box.angle}, kept.score, kept.label};
        for (float& value : detection.box) value = isClipped ? std::clamp(value, 0.0F, 1.0F) : value;
        return detection;
    }
};

/// \param scores [B,C,N]
inline NmsExtents extentsOf(nvinfer1::Dims const& scores) { return {scores.d[0], scores.d[1], scores.d[2]}; }

/// Room for the first row of each list.
inline int64_t* takeStarts(NmsExtents const& extents, GpuPieces& pieces) {
    return pieces.take<int64_t>({extents.pictures, extents.classes});
}

/// Enqueues NMSRotated. The tensors are those of the plugin.
/// \param workspace gpuNmsWorkspace() bytes, after takeStarts()
void selectOnGpu(NmsRules const& rules, PluginBase::Tensors inputs, PluginBase::Tensors outputs, void* workspace,
                 cudaStream_t stream);

/// Enqueues TRTBatchedRotatedNMS. The tensors are those of the plugin.
/// \param workspace gpuNmsWorkspace() bytes
void detectOnGpu(NmsRules const& rules, bool areClipped, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                 void* workspace, cudaStream_t stream);

} // namespace tenon::plugins::rotated_nms
