// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "disentangled_attention/disentangled_attention.h"

#include "cuda.cuh"

namespace tenon::plugins {
namespace {

constexpr int kTile = 32, kRows = 8; // positions along a side of a tile, and rows that a block loads at once

/// A block processes tiles of queries and keys. Neighbouring keys of one query are adjacent in data0 and nearly so in
/// data1; in data2, neighbouring queries of one key are: its tile is read in that order and transposed in shared
/// memory.
template <class T> struct Disentangling {
    int64_t batch, places, relative;
    float factor;
    T const *own, *toPlace, *toQuery;
    uint32_t const* relativeOf; ///< Of the distance 0.
    T* result;
    float scales[4]; ///< Of INT8: those of data0, data1, data2 and the result.

    using Turned = float[kTile][kTile + 1];

    __device__ void readTile(int64_t picture, int64_t query, int64_t key, Turned& turned) const {
        query += threadIdx.x;
        if (query >= places) return;
        auto const rows = int(std::min<int64_t>(kTile, places - key));
        uint32_t const* const relativeTo = relativeOf + (query - key);
        T const* line = toQuery + (picture * places + key + threadIdx.y) * relative;
#pragma unroll
        for (int i = 0; i < kTile; i += kRows, line += kRows * relative) {
            int const row = i + int(threadIdx.y);
            if (row < rows) turned[threadIdx.x][row] = toReal(line[relativeTo[-row]], scales[2]);
        }
    }

    __device__ void writeTile(int64_t picture, int64_t query, int64_t key, Turned const& turned) const {
        auto const rows = int(std::min<int64_t>(kTile, places - query));
        key += threadIdx.x;
        if (key >= places) return;
        uint32_t const* const relativeTo = relativeOf + (query - key);
        int64_t const first = picture * places + query + threadIdx.y;
        T const* line = toPlace + first * relative;
        int64_t at = first * places + key;
#pragma unroll
        for (int i = 0; i < kTile; i += kRows, line += kRows * relative, at += kRows * places) {
            int const row = i + int(threadIdx.y);
            if (row >= rows) continue;
            float const place = toReal(line[relativeTo[row]], scales[1]), here = toReal(own[at], scales[0]);
            float const score = disentangledScore(here, place, turned[row][threadIdx.x], factor);
            result[at] = fromReal<T>(score, scales[3]);
        }
    }
};

template <class T> __global__ void disentangle(Disentangling<T> const of) {
    __shared__ typename Disentangling<T>::Turned turned;
    int64_t const query = int64_t{blockIdx.y} * kTile, key = int64_t{blockIdx.x} * kTile;
    for (int64_t picture = blockIdx.z; picture < of.batch; picture += gridDim.z) {
        of.readTile(picture, query, key, turned);
        __syncthreads();
        of.writeTile(picture, query, key, turned);
        __syncthreads();
    }
}

} // namespace

void disentangleOnGpu(RelativePlaces const& places, float factor, PluginBase::Tensors inputs,
                      PluginBase::Tensor const& result, uint32_t* relativeOf, cudaStream_t stream) {
    if (result.count() == 0) return;
    int64_t const count = result[1];
    launchForEach(2 * count - 1, stream,
                  [=] __device__(int64_t i) { relativeOf[i] = uint32_t(places.of(i - (count - 1))); });
    dispatchRealOrInt8(result.type, [&]<class T>(T) {
        auto const data = [&](size_t input) { return static_cast<T const*>(inputs[input].data); };
        Disentangling<T> const of{result[0],
                                  count,
                                  places.relative,
                                  factor,
                                  data(0),
                                  data(1),
                                  data(2),
                                  relativeOf + (count - 1),
                                  static_cast<T*>(result.data),
                                  {inputs[0].scale, inputs[1].scale, inputs[2].scale, result.scale}};
        constexpr int64_t kMostLayers = 65535; // of a grid
        unsigned const side = blocksFor(count, kTile);
        dim3 const blocks(side, side, unsigned(std::min(result[0], kMostLayers)));
        disentangle<<<blocks, dim3(kTile, kRows), 0, stream>>>(of);
        checkLaunch();
    });
}

} // namespace tenon::plugins
