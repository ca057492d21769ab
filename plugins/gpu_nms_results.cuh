// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The last step of a suppression on a GPU: the kept candidates of all lists of an image, in one order.
#pragma once

#include "gpu_nms_keys.cuh"
#include "rows.h"

namespace tenon::plugins {

/// The positions of rows, for the outputs of GpuNms::write().
template <Rows kRows> struct GpuRows {
    int64_t rows; // of an image

    __device__ int64_t at(int64_t picture, int64_t place) const { return picture * rows + place; }
    __device__ void countAll(int64_t, int64_t) const {}
};
template <> struct GpuRows<Rows::kReal> {
    int64_t pictures;
    int32_t* all;
    int64_t rows = 0, before = 0;

    __device__ void begin(int64_t rowsBefore) { before = rowsBefore; }
    __device__ int64_t at(int64_t, int64_t place) const { return before + place; }
    /// Stores the number of rows, for the last image.
    __device__ void countAll(int64_t picture, int64_t places) const {
        if (picture == pictures - 1) *all = int32_t(before + places);
    }
};

/// The elements of rows, and their layout.
template <class T, Rows kRows> struct RowType {};

/// body(RowType): of T if they are padded, else of float.
template <class T, class Body> void withRows(Rows rows, Body const& body) {
    if (rows == Rows::kPadded)
        body(RowType<T, Rows::kPadded>{});
    else
        body(RowType<float, Rows::kReal>{});
}

/// Those of a plugin's outputs. \param most rows of an image, if they are padded
template <Rows kRows>
GpuRows<kRows> gpuRows(int64_t pictures, int64_t most, PluginBase::Tensors outputs, cudaStream_t stream) {
    if constexpr (kRows == Rows::kPadded) {
        return {most};
    } else {
        int32_t* const all = outputs[outputs.size() - 1].ints();
        if (pictures == 0) checkCuda(cudaMemsetAsync(all, 0, sizeof(*all), stream)); // not set by a kernel
        return {pictures, all};
    }
}

} // namespace tenon::plugins

namespace tenon::plugins::gpu_nms {

constexpr int kWriteThreads = 256;

// The starts of the lists if the kept candidates of all are concatenated: `starts`, and the end of the last.
__device__ inline void findStarts(int32_t count, int32_t* starts) {
    __shared__ int32_t ofWarps[kWriteThreads / kWarp];
    int32_t sum = count;
    for (int apart = 1; apart < kWarp; apart *= 2) {
        int32_t const before = __shfl_up_sync(~0U, sum, apart);
        if (lane() >= apart) sum += before;
    }
    if (lane() == kWarp - 1) ofWarps[warp()] = sum;
    __syncthreads();
    for (int w = 0; w < warp(); ++w) sum += ofWarps[w];
    starts[threadIdx.x + 1] = sum;
    if (threadIdx.x == 0) starts[0] = 0;
    __syncthreads();
}

// The list of an index below starts[kWriteThreads].
__device__ inline int listAt(int32_t const* starts, int32_t item) {
    int list = 0;
    for (int step = kWriteThreads / 2; step > 0; step /= 2) {
        if (starts[list + step] <= item) list += step;
    }
    return list;
}

// The number of kept candidates of an image.
__device__ inline int64_t keptOfPicture(GpuLists const& lists, int64_t picture) {
    __shared__ int32_t starts[kWriteThreads + 1];
    int64_t all = 0;
    for (int64_t first = 0; first < lists.ofPicture; first += kWriteThreads) {
        int64_t const list = first + threadIdx.x;
        findStarts(list < lists.ofPicture ? lists.kept[picture * lists.ofPicture + list] : 0, starts);
        all += starts[kWriteThreads];
        __syncthreads();
    }
    return std::min(all, lists.rules.perPicture);
}

// The number of smaller keys of lists first, first + step … before `end`.
__device__ inline int64_t smallerInLists(GpuLists const& lists, int64_t first, int step, int64_t end, Key key) {
    Key const* from[kAtOnce];
    Key keys[kAtOnce];
    int32_t rest[kAtOnce], smaller[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
        int64_t const list = first + k * step;
        from[k] = lists.keys + list * lists.room;
        keys[k] = key;
        rest[k] = list < end ? lists.kept[list] : 0;
    }
    findSmaller(from, rest, keys, smaller);
    int64_t sum = 0;
    for (int32_t each : smaller) sum += each;
    return sum;
}

// The sum over all threads, and the maximum.
__device__ inline int32_t sumOfBlock(int32_t value) {
    __shared__ int32_t sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    int32_t const ofWarp = __reduce_add_sync(~0U, value);
    if (lane() == 0) atomicAdd(&sum, ofWarp);
    __syncthreads();
    int32_t const all = sum;
    __syncthreads();
    return all;
}
__device__ inline Key largestOfBlock(Key value) {
    __shared__ unsigned long long largest;
    if (threadIdx.x == 0) largest = 0;
    __syncthreads();
    for (int apart = 1; apart < kWarp; apart *= 2) value = std::max(value, __shfl_xor_sync(~0U, value, apart));
    if (lane() == 0) atomicMax(&largest, static_cast<unsigned long long>(value));
    __syncthreads();
    return largest;
}

// An upper bound of the keys that are written: if more are kept than there are rows, the same number is taken of each
// list to fill them, and the bound is the last of those. It spares most of them the search for their position.
// \param all the number kept in the lists of the image
__device__ inline Key lastKey(GpuLists const& lists, int64_t picture, int64_t all) {
    if (all <= lists.rules.perPicture || lists.ofPicture > kWriteThreads || lists.rules.perPicture < 1) return ~Key(0);
    int64_t const list = picture * lists.ofPicture + threadIdx.x;
    int64_t const kept = threadIdx.x < lists.ofPicture ? lists.kept[list] : 0;
    int64_t most = (lists.rules.perPicture + lists.ofPicture - 1) / lists.ofPicture;
    while (sumOfBlock(int32_t(std::min(kept, most))) < lists.rules.perPicture) most *= 2;
    return largestOfBlock(kept > 0 ? lists.keys[list * lists.room + std::min(kept, most) - 1] : 0);
}

// Writes those of a group of lists to their positions in the image: the number of smaller keys in all lists of the
// image, computed by `lanes` together. \param starts as set by findStarts()
template <typename Outputs>
__device__ void writeGroup(GpuLists const& lists, int64_t picture, int64_t firstList, int32_t const* starts,
                           Outputs const& outputs) {
    int lanes = 1; // for the position of one of them
    while (lanes < kWarp && lanes < lists.ofPicture) lanes *= 2;
    int const part = lane() % lanes, perBlock = kWriteThreads / lanes;
    Key const lastKey = gpu_nms::lastKey(lists, picture, lists.ofPicture <= kWriteThreads ? starts[kWriteThreads] : 0);
    int32_t const end = starts[kWriteThreads];
    int64_t const ofPicture = picture * lists.ofPicture, step = int64_t(gridDim.x) * perBlock;
    for (int64_t base = int64_t(blockIdx.x) * perBlock; base < end; base += step) { // the same for all lanes of a warp
        int64_t const item = base + int64_t(threadIdx.x) / lanes;
        int const list = item < end ? listAt(starts, int32_t(item)) : 0;
        int64_t const own = item < end ? item - starts[list] : 0;
        Key const key = lists.keys[(ofPicture + firstList + list) * lists.room + own];
        bool const isThere = item < end && key <= lastKey;
        int64_t place = lanes == 1 ? own : 0;
        for (int64_t each = ofPicture + part; isThere && lanes > 1 && each < ofPicture + lists.ofPicture;
             each += lanes * kAtOnce)
            place += smallerInLists(lists, each, lanes, ofPicture + lists.ofPicture, key);
        for (int apart = 1; apart < lanes; apart *= 2) place += __shfl_xor_sync(~0U, place, apart);
        if (isThere && part == 0 && place < lists.rules.perPicture)
            outputs.put(picture, place, lists.coding().candidate(key));
    }
}

template <typename Outputs>
__global__ void __launch_bounds__(kWriteThreads) writeKept(__grid_constant__ GpuLists const lists, Outputs outputs) {
    __shared__ int32_t starts[kWriteThreads + 1];
    int64_t counted = 0, before = 0; // images, and their kept candidates
    for (int64_t picture = blockIdx.y; picture < lists.extents.pictures; picture += gridDim.y) {
        if constexpr (requires { outputs.begin(before); }) {
            for (; counted < picture; ++counted) before += keptOfPicture(lists, counted);
            outputs.begin(before);
        }
        int64_t all = 0;
        for (int64_t first = 0; first < lists.ofPicture; first += kWriteThreads) {
            int64_t const list = first + threadIdx.x;
            findStarts(list < lists.ofPicture ? lists.kept[picture * lists.ofPicture + list] : 0, starts);
            all += starts[kWriteThreads];
            writeGroup(lists, picture, first, starts, outputs);
            __syncthreads();
        }
        int64_t const stay = std::min(all, lists.rules.perPicture), step = int64_t(gridDim.x) * kWriteThreads;
        int64_t const thread = int64_t(blockIdx.x) * kWriteThreads + threadIdx.x;
        for (int64_t i = stay + thread; i < outputs.rows; i += step) outputs.leave(picture, i);
        if (thread == 0) outputs.count(picture, stay);
    }
}

} // namespace tenon::plugins::gpu_nms
