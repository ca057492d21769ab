// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "ssd_nms.h"

#include "nms.cuh"
#include "scores.h"

namespace tenon::plugins::ssd_nms {
namespace {

// Padding has class -1, else 0. Out is T if rows are padded, else float.
template <class T, class Out, Rows kRows> struct Detections : GpuRows<kRows> {
    Boxes<T> boxes;
    bool hasSigmoid;
    Out* to;
    int32_t* counts;

    __device__ void put(int64_t picture, int64_t place, Candidate const& kept) const {
        set(picture, place, float(kept.label), hasSigmoid ? sigmoid(kept.score) : kept.score, boxes(picture, kept));
    }
    __device__ void leave(int64_t picture, int64_t place) const { set(picture, place, -1, 0, {}); }
    __device__ void count(int64_t picture, int64_t places) const {
        counts[picture] = int32_t(places);
        this->countAll(picture, places);
    }

private:
    __device__ void set(int64_t picture, int64_t place, float label, float score, Box const& box) const {
        Out* row = to + this->at(picture, place) * 7;
        for (float value : {float(picture), label, score}) *row++ = fromFloat<Out>(value);
        for (float value : {box.x1, box.y1, box.x2, box.y2}) *row++ = fromFloat<Out>(std::clamp(value, 0.0F, 1.0F));
    }
};

} // namespace

void detectOnGpu(NmsRules const& rules, NmsExtents const& extents, BoxRules const& boxRules, Scale scale, Rows rows,
                 Inputs const& inputs, PluginBase::Tensors outputs, void* workspace, cudaStream_t stream) {
    dispatchReal(inputs.scores.type, [&]<class T>(T) {
        Boxes<T> const boxes(boxRules, inputs.locations, inputs.priors);
        GpuNms const nms(rules, extents, workspace, stream);
        nms.find(GpuScores<T>{static_cast<T const*>(inputs.scores.data)});
        nms.suppress(GpuExtents(boxes, rules));
        withRows<T>(rows, [&]<class Out, Rows kRows>(RowType<Out, kRows>) {
            nms.write(Detections<T, Out, kRows>{gpuRows<kRows>(extents.pictures, rules.perPicture, outputs, stream),
                                                boxes, scale == Scale::kSigmoid, static_cast<Out*>(outputs[0].data),
                                                outputs[1].ints()});
        });
    });
}

} // namespace tenon::plugins::ssd_nms
