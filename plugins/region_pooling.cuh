// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Regions of feature maps, pooled on a GPU; see region_samples.h.
#pragma once

#include "cuda.cuh"
#include "region_samples.h"

namespace tenon::plugins {

/// The addresses of the tensors.
template <class T, class Formula> struct PooledRegions {
    static constexpr int64_t kPerThread = 8; // channels for which a thread computes its samples once

    PooledRegions(Formula const& formula, PluginBase::Tensor const& rois, PluginBase::Tensors of,
                  PluginBase::Tensor const& to)
        : formula(formula), maps(of), rois(static_cast<T const*>(rois.data)), count(rois.count() / Formula::kNumbers),
          pooled(static_cast<T*>(to.data)) {
        for (size_t i = 0; i < of.size(); ++i) pixels[i] = static_cast<T const*>(of[i].data);
    }

    __device__ typename Formula::Region region(int64_t index) const {
        float numbers[Formula::kNumbers];
#pragma unroll
        for (int i = 0; i < Formula::kNumbers; ++i) numbers[i] = toFloat(rois[index * Formula::kNumbers + i]);
        return formula.regionOf(numbers, index * maps.pictures / count, maps);
    }

    Formula formula;
    RegionMaps maps;
    T const* pixels[RegionMaps::kMost];
    T const* rois;
    int64_t count;
    T* pooled;
};

/// Adds a sample of up to as many planes of `plane` pixels as there are sums.
template <class T, int count>
__device__ void addSample(SamplePixels const& of, T const* first, MapExtents const& map, int64_t planes,
                          float (&sums)[count]) {
    int64_t const upper = of.y.low * map.width, lower = of.y.high * map.width;
    int64_t const places[]{upper + of.x.low, upper + of.x.high, lower + of.x.low, lower + of.x.high};
    float const shares[]{(1 - of.y.weight) * (1 - of.x.weight), (1 - of.y.weight) * of.x.weight,
                         of.y.weight * (1 - of.x.weight), of.y.weight * of.x.weight};
#pragma unroll
    for (int plane = 0; plane < count; ++plane) {
        if (plane >= planes) break;
        T const* const pixels = first + plane * map.height * map.width;
#pragma unroll
        for (int i = 0; i < 4; ++i) sums[plane] += shares[i] * toFloat(pixels[places[i]]);
    }
}

/// A thread computes a bin of some channels: neighbouring threads have neighbouring bins, so that they write
/// neighbouring elements.
template <class T, class Formula> __global__ void poolRegions(__grid_constant__ PooledRegions<T, Formula> const of) {
    constexpr int64_t kPerThread = of.kPerThread;
    int64_t const bins = of.formula.bins(), channels = of.maps.channels;
    forEach(of.count * bins, [&](int64_t i) {
        int64_t const index = i / bins, bin = i - index * bins;
        auto const region = of.region(index);
        for (int64_t first = blockIdx.y * kPerThread; first < channels; first += gridDim.y * kPerThread) {
            int64_t const planes = min(kPerThread, channels - first);
            float sums[kPerThread]{};
            for (int64_t sample = 0; sample < region.samples; ++sample) {
                MapExtents const& map = of.maps.extents[region.map];
                SamplePixels const pixels = of.formula.sampleOf(region, bin, sample, map);
                if (pixels.outside()) continue;
                int64_t const plane = region.picture * channels + first;
                addSample(pixels, of.pixels[region.map] + plane * map.height * map.width, map, planes, sums);
            }
            float const part = region.samples > 0 ? 1 / float(region.samples) : 0;
            T* const to = of.pooled + (index * channels + first) * bins + bin;
#pragma unroll
            for (int plane = 0; plane < kPerThread; ++plane) {
                if (plane < planes) to[plane * bins] = fromFloat<T>(sums[plane] * part);
            }
        }
    });
}

/// Enqueues it on the stream.
/// \param rois the formula's kNumbers elements for each region, the same number of regions for each image
/// \param maps of the same channels, each [B,C,H,W]
/// \param pooled a tensor of R x C x bins elements
template <class Formula>
void poolOnGpu(Formula const& formula, PluginBase::Tensor const& rois, PluginBase::Tensors maps,
               PluginBase::Tensor const& pooled, cudaStream_t stream) {
    if (pooled.count() == 0) return;
    dispatchReal(pooled.type, [&]<class T>(T) {
        constexpr int64_t kMostRows = 65535; // of blocks in a grid
        PooledRegions<T, Formula> const of(formula, rois, maps, pooled);
        int64_t const rows = (of.maps.channels + of.kPerThread - 1) / of.kPerThread;
        dim3 const blocks(blocksFor(of.count * formula.bins()), unsigned(std::min(rows, kMostRows)));
        poolRegions<<<blocks, kThreads, 0, stream>>>(of);
        checkLaunch();
    });
}

} // namespace tenon::plugins
