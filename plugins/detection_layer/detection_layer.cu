// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "detection_layer.h"

#include "proposals.cuh"

namespace tenon::plugins::detection_layer {
namespace {

// Corners, class and score of each; padding has class -1, else 0.
template <class T> struct Detections {
    Regions<T> regions;
    int64_t rows; // of an image
    T* to;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        set(picture, place, regions.boxOf(picture, kept), kept.label, kept.score);
    }
    __device__ void leave(int64_t picture, int64_t place) const { set(picture, place, {}, -1, 0); }
    __device__ void count(int64_t, int64_t) const {}

private:
    __device__ void set(int64_t picture, int64_t place, Box const& box, int32_t label, float score) const {
        T* number = to + (picture * rows + place) * 6;
        for (float value : {box.x1, box.y1, box.x2, box.y2, float(label), score}) *number++ = fromFloat<T>(value);
    }
};

} // namespace

void detectOnGpu(Settings const& settings, PluginBase::Tensors inputs, PluginBase::Tensor const& detections,
                 void* workspace, cudaStream_t stream) {
    dispatchReal(detections.type, [&]<class T>(T) {
        Regions<T> const regions(settings, inputs);
        Detections<T> const found{regions, detections[1], static_cast<T*>(detections.data)};
        chooseOnGpu(settings.limits, {detections[0], settings.classes, regions.count()}, regions.count(), regions,
                    GpuCandidates<Regions<T>>{regions}, found, workspace, stream);
    });
}

} // namespace tenon::plugins::detection_layer
