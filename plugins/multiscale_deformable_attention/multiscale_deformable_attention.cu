// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "multiscale_deformable_attention/multiscale_deformable_attention.h"

#include "cuda.cuh"

#include <limits>

namespace tenon::plugins {
namespace {

/// The addresses of the tensors.
template <class T> struct Attention {
    Attention(PluginBase::Tensors inputs, PluginBase::Tensor const& to)
        : extents(inputs), value(static_cast<T const*>(inputs[0].data)), shapes(inputs[1].ints()),
          starts(inputs[2].ints()), locations(static_cast<T const*>(inputs[3].data)),
          weights(static_cast<T const*>(inputs[4].data)), output(static_cast<T*>(to.data)) {}

    /// x and y; if packs of the channels fit, these two are also one load.
    template <int width> __device__ Pack<T, 2> place(int64_t sample) const {
        T const* const first = locations + 2 * sample;
        if constexpr (width > 1) return *reinterpret_cast<Pack<T, 2> const*>(first);
        Pack<T, 2> pack;
        pack.at[0] = first[0], pack.at[1] = first[1];
        return pack;
    }

    AttentionExtents extents;
    T const* value;
    int32_t const *shapes, *starts;
    T const *locations, *weights;
    T* output;
};

/// Adds a sample of a map. All four pixels are requested before one is used.
template <class T, int width>
__device__ void addSample(AttentionTaps const& taps, T const* pixels, int32_t step, float (&sum)[width]) {
    Pack<T, width> taken[4]{};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        if (taps.place[i] >= 0)
            taken[i] = *reinterpret_cast<Pack<T, width> const*>(pixels + int64_t{taps.place[i]} * step);
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int k = 0; k < width; ++k) sum[k] += taps.share[i] * toFloat(taken[i].at[k]);
    }
}

/// A thread computes `width` channels of one head of one query. Those of a block are of one head, so that the small
/// maps stay in the multiprocessor's cache.
template <class T, int width> __global__ void attend(Attention<T> const of) {
    AttentionExtents const& extents = of.extents;
    int64_t const packs = extents.channels / width;
    auto const step = int32_t(extents.heads * extents.channels); // from a pixel to the next
    int64_t const head = blockIdx.y % extents.heads, picture = blockIdx.y / extents.heads;
    forEach(extents.queries * packs, [&](int64_t i) {
        int64_t const query = i / packs, channel = i % packs * width;
        int64_t const row = (picture * extents.queries + query) * extents.heads + head;
        float sum[width]{};
        for (int64_t number = 0; number < extents.maps; ++number) {
            AttentionMap const map(of.shapes, of.starts, number);
            if (!map.isWithin(extents.places) || map.pixels() == 0) continue;
            int64_t const place = picture * extents.places + map.start;
            T const* const pixels = of.value + (place * extents.heads + head) * extents.channels + channel;
            int64_t const sample = (row * extents.maps + number) * extents.points;
            for (int64_t point = sample; point < sample + extents.points; ++point) {
                Pack<T, 2> const place = of.template place<width>(point);
                float const weight = toFloat(of.weights[point]);
                addSample(AttentionTaps(map, toFloat(place.at[0]), toFloat(place.at[1]), weight), pixels, step, sum);
            }
        }
        Pack<T, width> pack;
#pragma unroll
        for (int k = 0; k < width; ++k) pack.at[k] = fromFloat<T>(sum[k]);
        *reinterpret_cast<Pack<T, width>*>(of.output + row * extents.channels + channel) = pack;
    });
}

void expectAtMost(char const* what, int64_t found, int64_t most) {
    if (found > most)
        throw std::invalid_argument(std::string("on a GPU there can be ") + std::to_string(most) + ' ' + what +
                                    "; found " + std::to_string(found));
}

template <class T, int width> void launch(Attention<T> const& of, cudaStream_t stream) {
    AttentionExtents const& extents = of.extents;
    int64_t const rows = extents.pictures * extents.heads;
    constexpr int64_t kMostRows = 65535; // of blocks in a grid
    constexpr int64_t kMostStep = std::numeric_limits<int32_t>::max();
    expectAtMost("images times heads", rows, kMostRows);
    expectAtMost("heads times channels", extents.heads * extents.channels, kMostStep);
    constexpr int kFewThreads = 128; // which use a multiprocessor's registers better than larger blocks
    dim3 const blocks(blocksFor(extents.queries * extents.channels / width, kFewThreads), unsigned(rows));
    attend<T, width><<<blocks, kFewThreads, 0, stream>>>(of);
    checkLaunch();
}

} // namespace

void attendOnGpu(PluginBase::Tensors inputs, PluginBase::Tensor const& output, cudaStream_t stream) {
    if (output.count() == 0) return;
    dispatchReal(output.type, [&]<class T>(T) {
        constexpr int kWide = 16 / sizeof(T);
        Attention<T> const of(inputs, output);
        int64_t const channels = of.extents.channels;
        bool const isWide = fitsPacks<T, kWide>(of.value, channels) && fitsPacks<T, kWide>(of.output, channels) &&
                            fitsPacks<T, 2>(of.locations, 2);
        isWide ? launch<T, kWide>(of, stream) : launch<T, 1>(of, stream);
    });
}

} // namespace tenon::plugins
