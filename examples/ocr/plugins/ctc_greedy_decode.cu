// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "ctc_greedy_decode_gpu.h"

#include "launch.cuh"

namespace ocr {
namespace {

constexpr int kThreads = 256;
constexpr int kWarpsPerBlock = kThreads / kWarp;

struct Best {
    float probability;
    int32_t index;

    // Of equal ones the first counts, as in std::max_element; and as there, NaN counts only if it is first.
    __device__ void meet(Best other) {
        bool const isFirst = probability == other.probability && other.index < index;
        if (probability < other.probability || isFirst) *this = other;
    }
};

__device__ int64_t warpId() { return globalThread() / kWarp; }

// probabilities [rows, classes] → best [rows], the best class of each row. A warp processes one row.
__global__ void findBestClasses(float const* probabilities, int64_t rows, int64_t classes, int32_t* best) {
    if (warpId() >= rows) return;
    float const* const row = probabilities + warpId() * classes;
    Best mine{row[0], 0};
    for (int64_t i = laneId(); i < classes; i += kWarp) mine.meet({row[i], int32_t(i)});
    for (int step = kWarp / 2; step > 0; step /= 2)
        mine.meet({__shfl_xor_sync(kAllLanes, mine.probability, step), __shfl_xor_sync(kAllLanes, mine.index, step)});
    if (laneId() == 0) best[warpId()] = mine.index;
}

// indices [texts, steps], the best class of each step → indices, lengths, confidence as in CTCGreedyDecode. A warp
// processes one text, 32 steps at a time. It may write where it reads: there are at most as many characters as steps,
// and all lanes have read before the first ballot is done.
__global__ void collapseRepeats(CTCBatch batch) {
    int64_t const text = warpId();
    if (text >= batch.texts) return;
    int32_t* const indices = batch.indices + text * batch.steps;
    int32_t length = 0, previous = batch.blank;
    double sum = 0;
    for (int64_t first = 0; first < batch.steps; first += kWarp) {
        int64_t const step = first + laneId();
        int32_t const index = step < batch.steps ? indices[step] : batch.blank;
        int32_t const laneBefore = __shfl_up_sync(kAllLanes, index, 1);
        bool const isNew = index != batch.blank && index != (laneId() == 0 ? previous : laneBefore);
        unsigned const isNewIn = __ballot_sync(kAllLanes, isNew);
        unsigned const lanesBefore = (1U << laneId()) - 1;
        if (isNew) {
            indices[length + __popc(isNewIn & lanesBefore)] = index;
            sum += batch.probabilities[(text * batch.steps + step) * batch.classes + index];
        }
        length += __popc(isNewIn);
        previous = __shfl_sync(kAllLanes, index, kWarp - 1);
    }
    for (int64_t step = length + laneId(); step < batch.steps; step += kWarp) indices[step] = batch.blank;
    for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_xor_sync(kAllLanes, sum, step);
    if (laneId() != 0) return;
    batch.lengths[text] = length;
    batch.confidence[text] = length == 0 ? 0 : float(sum / length);
}

} // namespace

void decodeOnGpu(CTCBatch const& batch, cudaStream_t stream) {
    int64_t const rows = batch.texts * batch.steps;
    if (rows != 0) {
        findBestClasses<<<blocksFor(rows, kWarpsPerBlock), kThreads, 0, stream>>>(batch.probabilities, rows,
                                                                                  batch.classes, batch.indices);
        checkLaunch("findBestClasses");
    }
    if (batch.texts == 0) return;
    collapseRepeats<<<blocksFor(batch.texts, kWarpsPerBlock), kThreads, 0, stream>>>(batch);
    checkLaunch("collapseRepeats");
}

} // namespace ocr
