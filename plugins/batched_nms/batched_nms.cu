// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "batched_nms.h"

#include "nms.cuh"

namespace tenon::plugins {
namespace {

// What is left of the outputs becomes 0, of the classes -1.
template <class T> struct Detections {
    BoxesOf<T> boxes;
    bool clipsBoxes;
    int64_t rows; // of a picture
    int32_t* counts;
    T *corners, *scores, *classes;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        int64_t const row = picture * rows + place;
        T const* const box = boxes.at(picture, kept);
        for (int i = 0; i < 4; ++i)
            corners[row * 4 + i] = clipsBoxes ? fromFloat<T>(std::clamp(toFloat(box[i]), 0.0F, 1.0F)) : box[i];
        scores[row] = fromFloat<T>(kept.score);
        classes[row] = fromFloat<T>(float(kept.label));
    }
    __device__ void leave(int64_t picture, int64_t place) const {
        int64_t const row = picture * rows + place;
        for (int i = 0; i < 4; ++i) corners[row * 4 + i] = fromFloat<T>(0);
        scores[row] = fromFloat<T>(0);
        classes[row] = fromFloat<T>(-1);
    }
    __device__ void count(int64_t picture, int64_t places) const { counts[picture] = int32_t(places); }
};

} // namespace

void batchedNmsOnGpu(NmsRules const& rules, bool clipsBoxes, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                     void* workspace, cudaStream_t stream) {
    dispatchReal(inputs[0].type, [&]<class T>(T) {
        BoxesOf<T> const boxes(inputs[0]);
        auto const to = [&](size_t output) { return static_cast<T*>(outputs[output].data); };
        GpuNms const nms(rules, NmsExtents::of(inputs[1].dims), workspace, stream);
        nms.find(GpuScores<T>{static_cast<T const*>(inputs[1].data)});
        nms.suppress(GpuExtents(GpuCorners<T>{boxes}, rules));
        nms.write(Detections<T>{boxes, clipsBoxes, rules.perPicture, outputs[0].ints(), to(1), to(2), to(3)});
    });
}

} // namespace tenon::plugins
