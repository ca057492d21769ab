// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Sorting keys, for the suppression on a GPU.
#pragma once

#include "gpu_nms.h"

namespace tenon::plugins::gpu_nms {

using Key = Keys::Key;

constexpr int kKeysOfThread = 4;
constexpr int kSortThreads = 512;
constexpr int kRun = kSortThreads * kKeysOfThread; // keys that a block sorts

__device__ inline int lane() { return int(threadIdx.x) % kWarp; }
__device__ inline int warp() { return int(threadIdx.x) / kWarp; }

// One step of a bitonic sort: two keys in ascending order, or in descending.
__device__ inline void putInOrder(Key& first, Key& second, bool isRising) {
    Key const a = first, b = second;
    bool const stay = (a < b) == isRising;
    first = stay ? a : b;
    second = stay ? b : a;
}

// The same for keys of one thread, with `size` in order after the last step. `first` is the first one's index.
__device__ inline void orderInThread(Key (&mine)[kKeysOfThread], int first, int size, int apart) {
    bool const isRising = (first & size) == 0;
    if (apart == 2) {
        putInOrder(mine[0], mine[2], isRising);
        putInOrder(mine[1], mine[3], isRising);
    } else {
        putInOrder(mine[0], mine[1], isRising);
        putInOrder(mine[2], mine[3], size == 2 ? !isRising : isRising);
    }
}

// Sorts a power of two of keys, contiguous in each thread (Batcher's bitonic sort). Partners are in the same thread, in
// the same warp, or exchanged through `room`, which is for kRun. Warps after the last key are idle.
__device__ inline void sortInBlock(Key (&mine)[kKeysOfThread], int count, Key* room) {
    int const first = int(threadIdx.x) * kKeysOfThread;
    bool const isBusy = warp() * kWarp * kKeysOfThread < count;
    for (int size = 2; size <= count; size *= 2) {
        for (int apart = size / 2; apart > 0; apart /= 2) {
            bool const keepsSmaller = ((first & size) == 0) == ((first & apart) == 0);
            bool const isOfBlock = apart >= kWarp * kKeysOfThread;
            if (isOfBlock) {
                __syncthreads();
                for (int k = 0; k < kKeysOfThread; ++k) room[first + k] = mine[k];
                __syncthreads();
            }
            if (!isBusy) continue;
            if (apart < kKeysOfThread) {
                orderInThread(mine, first, size, apart);
                continue;
            }
#pragma unroll
            for (int k = 0; k < kKeysOfThread; ++k) {
                Key const other =
                    isOfBlock ? room[(first ^ apart) + k] : __shfl_xor_sync(~0U, mine[k], apart / kKeysOfThread);
                mine[k] = (other < mine[k]) == keepsSmaller ? other : mine[k];
            }
        }
    }
}

constexpr int kAtOnce = 4; // of operations with a high latency

// The number of smaller keys in `rest`, for several lists or keys at once.
__device__ inline void findSmaller(Key const* const (&lists)[kAtOnce], int32_t (&rest)[kAtOnce],
                                   Key const (&keys)[kAtOnce], int32_t (&smaller)[kAtOnce]) {
    int32_t most = 0;
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) smaller[k] = 0, most = max(most, rest[k]);
    for (; most > 0; most /= 2) {
#pragma unroll
        for (int k = 0; k < kAtOnce; ++k) {
            int32_t const half = rest[k] / 2;
            bool const isSmaller = rest[k] > 0 && lists[k][smaller[k] + half] < keys[k];
            smaller[k] += isSmaller ? half + 1 : 0;
            rest[k] = isSmaller ? rest[k] - half - 1 : half;
        }
    }
}

// The same for one.
__device__ inline int32_t smallerKeys(Key const* keys, int32_t count, Key key) {
    int32_t first = 0;
    while (count > 0) {
        int32_t const half = count / 2;
        bool const isSmaller = keys[first + half] < key;
        first += isSmaller ? half + 1 : 0;
        count = isSmaller ? count - half - 1 : half;
    }
    return first;
}

constexpr int kWarpsOfPart = 4, kJoinThreads = 1024;
static_assert(kPartOfRun == kAtOnce * kWarp);

// Adds to `places` the number of keys of a sorted run smaller than each of a part of another. They are between those
// for its first and last key.
__device__ inline void addSmaller(Key const* run, int count, Key const* part, int size, int32_t* places) {
    int const bound = lane() < 2 ? smallerKeys(run, count, part[lane() == 0 ? 0 : size - 1]) : 0;
    int const first = __shfl_sync(~0U, bound, 0), end = __shfl_sync(~0U, bound, 1);
    Key const* runs[kAtOnce];
    Key keys[kAtOnce];
    int32_t rest[kAtOnce], smaller[kAtOnce];
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
        int const i = k * kWarp + lane();
        runs[k] = run + first;
        keys[k] = i < size ? part[i] : 0;
        rest[k] = i < size ? end - first : 0;
    }
    findSmaller(runs, rest, keys, smaller);
#pragma unroll
    for (int k = 0; k < kAtOnce; ++k) {
        if (k * kWarp + lane() < size) atomicAdd(places + k * kWarp + lane(), first + smaller[k]);
    }
}

// Sorts the keys of all long lists: the position of each is the number of smaller ones in its own run and the others. A
// block processes several parts of runs at once, with some warps each, which share the other runs.
__device__ inline void joinRuns(GpuLists const& lists) {
    constexpr int kParts = kJoinThreads / kWarp / kWarpsOfPart;
    __shared__ int32_t places[kParts * kPartOfRun];
    int32_t const parts = *lists.partCount, ofBlock = warp() / kWarpsOfPart;
    for (int32_t first = int32_t(blockIdx.x) * kParts; first < parts; first += int32_t(gridDim.x) * kParts) {
        places[threadIdx.x] = 0;
        __syncthreads();
        int32_t const part = first + ofBlock;
        GpuLists::Long const of = part < parts ? lists.longLists[lists.parts[part]] : GpuLists::Long{};
        Key const* const keys = lists.keys + of.list * lists.room;
        int32_t const begin = (part - of.firstPart) * kPartOfRun, size = min(kPartOfRun, of.found - begin);
        for (int32_t run = warp() % kWarpsOfPart * kRun; part < parts && run < of.found; run += kWarpsOfPart * kRun) {
            if (run != begin / kRun * kRun)
                addSmaller(keys + run, min(kRun, of.found - run), keys + begin, size, places + ofBlock * kPartOfRun);
        }
        __syncthreads();
        int32_t const i = warp() % kWarpsOfPart * kWarp + lane(); // of the part
        if (part < parts && i < size) {
            int32_t const place = places[ofBlock * kPartOfRun + i] + (begin + i) % kRun;
            if (place < lists.rules.candidates) lists.sorted[of.list * lists.room + place] = keys[begin + i];
        }
        __syncthreads();
    }
}

} // namespace tenon::plugins::gpu_nms
