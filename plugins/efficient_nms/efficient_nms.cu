// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "family.h"
#include "nms.cuh"
#include "scores.h"

namespace tenon::plugins::efficient_nms {
namespace {

// Padding is zero. Out is T if rows are padded, else float.
template <class T, class Out, Rows kRows> struct Detections : GpuRows<kRows> {
    Boxes<T> boxes;
    bool hasSigmoid, clipsBoxes;
    int32_t* counts;
    Out *corners, *scores;
    int32_t* classes;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        Box const box = boxes(picture, kept);
        float const edges[] = {box.x1, box.y1, box.x2, box.y2};
        set(this->at(picture, place), edges, hasSigmoid ? sigmoid(kept.score) : kept.score, kept.label);
    }
    __device__ void leave(int64_t picture, int64_t place) const {
        float const edges[4] = {};
        set(this->at(picture, place), edges, 0, 0);
    }
    __device__ void count(int64_t picture, int64_t places) const {
        counts[picture] = int32_t(places);
        this->countAll(picture, places);
    }

private:
    __device__ void set(int64_t row, float const (&edges)[4], float score, int32_t label) const {
        for (int i = 0; i < 4; ++i)
            corners[row * 4 + i] = fromFloat<Out>(clipsBoxes ? std::clamp(edges[i], 0.0F, 1.0F) : edges[i]);
        scores[row] = fromFloat<Out>(score);
        classes[row] = label;
    }
};

// Rows of image, class and box, image after image.
struct Indices : GpuRows<Rows::kReal> {
    int32_t* to;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        int32_t* const row = to + at(picture, place) * 3;
        row[0] = int32_t(picture), row[1] = kept.label, row[2] = kept.box;
    }
    __device__ void leave(int64_t, int64_t) const {}
    __device__ void count(int64_t picture, int64_t places) const { countAll(picture, places); }
};

template <class T> void suppress(GpuNms const& nms, Selection const& selection, PluginBase::Tensors inputs) {
    nms.find(GpuScores<T>{static_cast<T const*>(inputs[1].data)});
    nms.suppress(GpuExtents(Boxes<T>(inputs, selection.coding), selection.rules));
}

} // namespace

void detectOnGpu(Selection const& selection, Rows rows, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                 void* workspace, cudaStream_t stream) {
    dispatchReal(inputs[0].type, [&]<class T>(T) {
        GpuNms const nms(selection.rules, NmsExtents::of(inputs[1].dims), workspace, stream);
        suppress<T>(nms, selection, inputs);
        withRows<T>(rows, [&]<class Out, Rows kRows>(RowType<Out, kRows>) {
            nms.write(Detections<T, Out, kRows>{
                gpuRows<kRows>(inputs[1][0], selection.rules.perPicture, outputs, stream),
                Boxes<T>(inputs, selection.coding), selection.hasSigmoid, selection.clipsBoxes, outputs[0].ints(),
                static_cast<Out*>(outputs[1].data), static_cast<Out*>(outputs[2].data), outputs[3].ints()});
        });
    });
}

void selectOnGpu(Selection const& selection, Rows rows, PluginBase::Tensors inputs, PluginBase::Tensors outputs,
                 void* workspace, cudaStream_t stream) {
    GpuPieces pieces(workspace);
    int32_t* const ofPlugin = takeCount(pieces);
    int32_t* const to = outputs[0].ints();
    GpuRows<Rows::kReal> where{inputs[1][0], ofPlugin};
    if (rows == Rows::kReal) where = gpuRows<Rows::kReal>(inputs[1][0], 0, outputs, stream);
    dispatchReal(inputs[0].type, [&]<class T>(T) {
        GpuNms const nms(selection.rules, NmsExtents::of(inputs[1].dims), pieces, stream);
        suppress<T>(nms, selection, inputs);
        nms.write(Indices{where, to});
    });
    if (rows == Rows::kReal) return;
    launchForEach(outputs[0].count(), stream, [to, count = ofPlugin] __device__(int64_t i) {
        int32_t const last = *count - 1;
        if (i / 3 > last) to[i] = last < 0 ? -1 : to[int64_t(last) * 3 + i % 3];
    });
}

} // namespace tenon::plugins::efficient_nms
