// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

// Normalization of rows that do not fit into registers: X is read several times, from the second time on from a cache.

#include "backends/cuda/launch.h"
#include "layers/normalization/normalization_rows_cuda.cuh"

namespace tenon::cuda {

constexpr int kWarps = kThreads / kLanes; // of a block

/// The sum over a team of threads, a warp or a block.
template <int team> __device__ float total(float mine) {
    mine = totalOfWarp(mine);
    if constexpr (team == kLanes) {
        return mine;
    } else {
        __shared__ float parts[kWarps];
        __syncthreads(); // the previous sum has been read
        if (threadIdx.x % kLanes == 0) parts[threadIdx.x / kLanes] = mine;
        __syncthreads();
        float all = 0;
        for (float const part : parts) all += part;
        return all;
    }
}

/// Elements [begin, end) of a row, which a team of threads, a warp or a block, reads repeatedly.
template <class X, int width, int team> struct Piece {
    Source<X> const& source;
    Rows const& rows;
    uint32_t row, begin, end;

    template <class Use> __device__ void forEach(Use use) const {
        int64_t const start = int64_t{row} * rows.length;
#pragma unroll 4
        for (uint32_t i = begin + threadIdx.x % team * width; i < end; i += team * width) {
            float values[width];
            source.read(rows, row, start + i, i, values);
            use(values);
        }
    }
    __device__ float sum() const {
        float all = 0;
        forEach([&](float const(&values)[width]) {
            for (float const value : values) all += value;
        });
        return total<team>(all);
    }
    __device__ float squares(float mean) const {
        float all = 0;
        forEach([&](float const(&values)[width]) {
            for (float const value : values) all += (value - mean) * (value - mean);
        });
        return total<team>(all);
    }
    template <class Program> __device__ void store(Line const& line, Target const& y, Program const& epilogue) const {
        int64_t const start = int64_t{row} * rows.length;
        RowFactors const factors(rows, row);
#pragma unroll 1
        for (uint32_t i = begin + threadIdx.x % team * width; i < end; i += team * width) {
            float values[width];
            source.read(rows, row, start + i, i, values);
            line.apply(factors.at<width>(rows, i), values);
            storeFinished<X>(y, epilogue, start + i, values);
        }
    }
};

/// X [outer, length] → Y [the same]. A team of threads processes one row.
template <class X, int team, class Program>
__global__ void normalizeRows(Source<X> const source, Target const y, Rows const rows,
                              __grid_constant__ Program const epilogue) {
    uint32_t const row = blockIdx.x * (kThreads / team) + threadIdx.x / team;
    if (row >= rows.outer) return; // with one block per team there are as many blocks as rows
    Piece<X, 1, team> const whole{source, rows, row, 0, rows.length};
    float const mean = rows.centers ? rows.mean(whole.sum()) : 0;
    whole.store(Line(rows, mean, whole.squares(mean)), y, epilogue);
}

// Long rows are cut into chunks of this many elements, one for each block.
constexpr uint32_t kChunk = 32 * kThreads;

__device__ inline uint32_t elementsOf(uint32_t chunk, uint32_t length) { return min(kChunk, length - chunk * kChunk); }

template <class X>
__device__ Piece<X, kPackBytes / sizeof(X), kThreads> chunkOf(Source<X> const& source, Rows const& rows,
                                                              uint32_t chunks) {
    uint32_t const chunk = blockIdx.x % chunks;
    uint32_t const begin = chunk * kChunk;
    return {source, rows, blockIdx.x / chunks, begin, begin + elementsOf(chunk, rows.length)};
}

/// X [outer, length] → Moments [outer, chunks] of the mean of a chunk and the sum of squared deviations from it.
template <class X>
__global__ void describeChunks(Source<X> const source, float2* moments, Rows const rows, uint32_t chunks) {
    auto const piece = chunkOf(source, rows, chunks);
    float const mean = rows.centers ? piece.sum() / static_cast<float>(piece.end - piece.begin) : 0;
    float const squares = piece.squares(mean);
    if (threadIdx.x == 0) moments[blockIdx.x] = {mean, squares};
}

/// X [outer, length], Moments [outer, chunks] → Y [outer, length]. Moments are combined as in ClusterTeam.
template <class X, class Program>
__global__ void normalizeChunks(Source<X> const source, float2 const* moments, Target const y, Rows const rows,
                                uint32_t chunks, __grid_constant__ Program const epilogue) {
    float2 const* const ofRow = moments + blockIdx.x / chunks * chunks;
    float sum = 0;
    for (uint32_t i = threadIdx.x; i < chunks; i += kThreads)
        sum += ofRow[i].x * static_cast<float>(elementsOf(i, rows.length));
    float const mean = rows.mean(total<kThreads>(sum));
    float squares = 0;
    for (uint32_t i = threadIdx.x; i < chunks; i += kThreads) {
        float const apart = ofRow[i].x - mean;
        squares += ofRow[i].y + apart * apart * static_cast<float>(elementsOf(i, rows.length));
    }
    Line const line(rows, mean, total<kThreads>(squares));
    chunkOf(source, rows, chunks).store(line, y, epilogue);
}

/// The sums over the warps of a block, one for each lane.
__device__ inline float totalOfLane(float mine) {
    __shared__ float parts[kWarps][kLanes];
    uint32_t const lane = threadIdx.x % kLanes;
    __syncthreads(); // the previous sums have been read
    parts[threadIdx.x / kLanes][lane] = mine;
    __syncthreads();
    float all = 0;
    for (int i = 0; i < kWarps; ++i) all += parts[i][lane];
    return all;
}

/// X [outer, length, inner] → Y [the same]. A block processes as many adjacent columns as a warp has lanes, each warp
/// some of their elements.
template <class X, class Program>
__global__ void normalizeColumns(Source<X> const source, Target const y, Rows const rows,
                                 __grid_constant__ Program const epilogue) {
    uint32_t const tiles = (rows.inner + kLanes - 1) / kLanes;
    uint32_t const row = blockIdx.x / tiles;
    uint32_t const column = blockIdx.x % tiles * kLanes + threadIdx.x % kLanes;
    uint32_t const length = column < rows.inner ? rows.length : 0;
    int64_t const start = int64_t{row} * rows.length * rows.inner + column;
    uint32_t const first = threadIdx.x / kLanes;
    auto const read = [&](uint32_t i) {
        float value[1];
        source.read(rows, row, start + int64_t{i} * rows.inner, i, value);
        return value[0];
    };
    float sum = 0;
#pragma unroll 4
    for (uint32_t i = first; i < length; i += kWarps) sum += read(i);
    float const mean = rows.mean(totalOfLane(sum));
    float squares = 0;
#pragma unroll 4
    for (uint32_t i = first; i < length; i += kWarps) {
        float const apart = read(i) - mean;
        squares += apart * apart;
    }
    Line const line(rows, mean, totalOfLane(squares));
    RowFactors const factors(rows, row);
#pragma unroll 1
    for (uint32_t i = first; i < length; i += kWarps) {
        float value[1]{read(i)};
        line.apply(factors.at<1>(rows, i), value);
        storeFinished<X>(y, epilogue, start + int64_t{i} * rows.inner, value);
    }
}

} // namespace tenon::cuda
