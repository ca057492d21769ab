// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "batched_nms.h"

#include "nms.cuh"

namespace tenon::plugins {
namespace {

// Padding of the outputs is 0, of the classes -1. Out is T if rows are padded, else float.
template <class T, class Out, Rows kRows> struct Detections : GpuRows<kRows> {
    BoxesOf<T> boxes;
    bool clipsBoxes;
    int32_t* counts;
    Out *corners, *scores, *classes;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        int64_t const row = this->at(picture, place);
        T const* const box = boxes.at(picture, kept);
        for (int i = 0; i < 4; ++i) {
            float const edge = toFloat(box[i]);
            corners[row * 4 + i] = fromFloat<Out>(clipsBoxes ? std::clamp(edge, 0.0F, 1.0F) : edge);
        }
        scores[row] = fromFloat<Out>(kept.score);
        classes[row] = fromFloat<Out>(float(kept.label));
    }
    __device__ void leave(int64_t picture, int64_t place) const {
        int64_t const row = this->at(picture, place);
        for (int i = 0; i < 4; ++i) corners[row * 4 + i] = fromFloat<Out>(0);
        scores[row] = fromFloat<Out>(0);
        classes[row] = fromFloat<Out>(-1);
    }
    __device__ void count(int64_t picture, int64_t places) const {
        counts[picture] = int32_t(places);
        this->countAll(picture, places);
    }
};

} // namespace

void batchedNmsOnGpu(NmsRules const& rules, Rows rows, bool clipsBoxes, PluginBase::Tensors inputs,
                     PluginBase::Tensors outputs, void* workspace, cudaStream_t stream) {
    dispatchReal(inputs[0].type, [&]<class T>(T) {
        BoxesOf<T> const boxes(inputs[0]);
        GpuNms const nms(rules, NmsExtents::of(inputs[1].dims), workspace, stream);
        nms.find(GpuScores<T>{static_cast<T const*>(inputs[1].data)});
        nms.suppress(GpuExtents(GpuCorners<T>{boxes}, rules));
        withRows<T>(rows, [&]<class Out, Rows kRows>(RowType<Out, kRows>) {
            auto const to = [&](size_t output) { return static_cast<Out*>(outputs[output].data); };
            nms.write(Detections<T, Out, kRows>{gpuRows<kRows>(inputs[1][0], rules.perPicture, outputs, stream), boxes,
                                                clipsBoxes, outputs[0].ints(), to(1), to(2), to(3)});
        });
    });
}

} // namespace tenon::plugins
