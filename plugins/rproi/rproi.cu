// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "rproi.h"

#include "proposals.cuh"

namespace tenon::plugins::rproi {
namespace {

// A thread for each bin of each channel of each region.
template <class T>
void pool(Settings const& settings, PluginBase::Tensor const& map, PluginBase::Tensor const& rois,
          PluginBase::Tensor const& pooled, cudaStream_t stream) {
    int64_t const channels = map[1], height = map[2], width = map[3], regions = rois[2];
    int64_t const rows = settings.poolingHeight, columns = settings.poolingWidth;
    float const scale = settings.spatialScale, scaleOfMap = map.scale, scaleOfPooled = pooled.scale;
    auto const* const pixels = static_cast<T const*>(map.data);
    float const* const boxes = rois.floats();
    auto* const to = static_cast<T*>(pooled.data);
    launchForEach(pooled.count(), stream, [=] __device__(int64_t i) {
        int64_t const column = i % columns, row = i / columns % rows, plane = i / columns / rows;
        int64_t const channel = plane % channels, region = plane / channels;
        float const* const corners = boxes + region * 4;
        Axis const x(corners[0], corners[2], scale, columns, width);
        Axis const y(corners[1], corners[3], scale, rows, height);
        T const* const from = pixels + (region / regions * channels + channel) * height * width;
        to[i] = fromReal<T>(largestOf(from, y, x, row, column) * scaleOfMap, scaleOfPooled);
    });
}

} // namespace

void proposeAndPoolOnGpu(Settings const& settings, AnyAnchors anchors, PluginBase::Tensors inputs,
                         PluginBase::Tensors outputs, void* workspace, cudaStream_t stream) {
    GpuPieces pieces(workspace);
    Regions const regions(settings, copiedSizes(anchors, pieces, stream), inputs);
    GpuBoxes<float, Regions> const boxes{regions, outputs[0][2], outputs[0].floats()};
    chooseOnGpu(settings.limits, outputs[0][0], regions, boxes, pieces, stream);
    dispatchRealOrInt8(inputs[2].type,
                       [&]<class T>(T) { pool<T>(settings, inputs[2], outputs[0], outputs[1], stream); });
}

} // namespace tenon::plugins::rproi
