// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "decode_bbox3d/decode_bbox3d.h"

#include "finder.cuh"

namespace tenon::plugins {
namespace {

/// Decodes the boxes of the anchors passed to a kernel at once.
struct Decoder {
    static constexpr size_t kMost = 128;

    Bbox3dMap map;
    float* boxes;
    int32_t* counts;
    int64_t first, count; ///< Of the anchors, among all.
    Bbox3dAnchor anchors[kMost];

    __device__ void visit(int64_t frame, int64_t box, int64_t place) const {
        int64_t const anchor = box % map.anchors() - first;
        if (anchor < 0 || anchor >= count) return;
        map.decode(frame, box, anchors[anchor], boxes + (frame * map.boxes() + place) * Bbox3dMap::kBoxSize);
    }
    __device__ void end(int64_t frame, int64_t total) const { counts[frame] = int32_t(total); }
};

} // namespace

void decodeBbox3dOnGpu(Bbox3dMap const& map, std::vector<Bbox3dAnchor> const& anchors, GpuFinder const& finder,
                       PluginBase::Tensors outputs, cudaStream_t stream) {
    fillBytes(outputs[0].data, size_t(outputs[0].count()) * sizeof(float), stream);
    findThose(
        finder, [=] __device__(int64_t frame, int64_t box) { return map.isFound(frame * map.boxes() + box); }, stream);
    for (size_t first = 0; first < anchors.size(); first += Decoder::kMost) {
        Decoder decoder{map,
                        outputs[0].floats(),
                        outputs[1].ints(),
                        int64_t(first),
                        int64_t(std::min(anchors.size() - first, Decoder::kMost)),
                        {}};
        std::copy_n(anchors.data() + first, decoder.count, decoder.anchors);
        visitThose(finder, decoder, stream);
    }
}

} // namespace tenon::plugins
