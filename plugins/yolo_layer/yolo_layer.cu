// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "finder.cuh"
#include "yolo_layer/formulas.h"

namespace tenon::plugins {
namespace {

/// The count, then the boxes.
struct CountedBoxes {
    YoloBox form;
    int64_t mostBoxes;
    YoloSearch search;
    float* output;

    __device__ float* of(int64_t picture) const { return output + picture * (1 + mostBoxes * form.detectionSize()); }
    __device__ void visit(int64_t picture, int64_t index, int64_t place) const {
        if (place >= mostBoxes) return;
        float* const box = of(picture) + 1 + place * form.detectionSize();
        writeCountedBox(form, search.layout, search.candidate(picture, index), box);
    }
    __device__ void end(int64_t picture, int64_t total) const { *of(picture) = float(std::min(total, mostBoxes)); }
};

struct FourTensors {
    YoloSearch search;
    int32_t* counts;
    float *boxes, *scores;
    int32_t* classes;

    __device__ void visit(int64_t picture, int64_t index, int64_t place) const {
        int64_t const at = picture * search.count() + place;
        writeFourTensors(search.classes, search.candidate(picture, index), boxes + at * 4, scores + at, classes + at);
    }
    __device__ void end(int64_t picture, int64_t total) const { counts[picture] = int32_t(total); }
};

// Elements after the last box are 0.
template <class Boxes>
void write(YoloSearch const& search, GpuFinder const& finder, Boxes const& boxes, PluginBase::Tensors outputs,
           cudaStream_t stream) {
    static_assert(sizeof(int32_t) == sizeof(float));
    for (PluginBase::Tensor const& output : outputs)
        fillBytes(output.data, size_t(output.count()) * sizeof(float), stream);
    findThose(
        finder, [=] __device__(int64_t picture, int64_t index) { return search.isBox(picture, index); }, stream);
    visitThose(finder, boxes, stream);
}

} // namespace

void yoloCountedOnGpu(YoloBox const& form, int32_t mostBoxes, YoloSearch const& search, GpuFinder const& finder,
                      PluginBase::Tensors outputs, cudaStream_t stream) {
    write(search, finder, CountedBoxes{form, mostBoxes, search, outputs[0].floats()}, outputs, stream);
}

void yoloFourTensorsOnGpu(YoloSearch const& search, GpuFinder const& finder, PluginBase::Tensors outputs,
                          cudaStream_t stream) {
    FourTensors const boxes{search, outputs[0].ints(), outputs[1].floats(), outputs[2].floats(), outputs[3].ints()};
    write(search, finder, boxes, outputs, stream);
}

void yoloPlacesOnGpu(YoloPlaces const& places, PluginBase::Tensor const& output, cudaStream_t stream) {
    launchForEach(output[0] * places.count(), stream, [=, boxes = output.floats()] __device__(int64_t i) {
        places.write(i / places.count(), i % places.count(), boxes);
    });
}

} // namespace tenon::plugins
