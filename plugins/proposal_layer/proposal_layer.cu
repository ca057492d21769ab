// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "proposal_layer.h"

#include "proposals.cuh"

namespace tenon::plugins::proposal_layer {

void proposeOnGpu(Selection::Limits const& limits, PyramidAnchors const& anchors, PluginBase::Tensors inputs,
                  PluginBase::Tensor const& proposals, void* workspace, cudaStream_t stream) {
    dispatchReal(proposals.type, [&]<class T>(T) {
        Regions<T> const regions(anchors, inputs[0], inputs[1]);
        GpuBoxes<T, Regions<T>> const boxes{regions, proposals[1], static_cast<T*>(proposals.data)};
        chooseOnGpu(limits, proposals[0], regions, boxes, workspace, stream);
    });
}

} // namespace tenon::plugins::proposal_layer
