// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/strided_copy.h"

#include <optional>

namespace tenon::cuda {

/// A dense tensor Y whose element at [i,j,…] is X[a(i),b(j),…], or the fill value if one of them is negative. An Axis
/// maps indices of Y to indices of X: `int64_t from(uint32_t place)`.
template <class Axis> struct Sampled {
    int rank = 0;
    std::array<Divider, Dims::kMaxRank> extents; // of Y; innermost first, like all that follow
    std::array<int64_t, Dims::kMaxRank> strides{};
    std::array<bool, Dims::kMaxRank> isWhole{}; // Y copies the axis unchanged
    std::array<Axis, Dims::kMaxRank> axes{};
    int64_t pixel = 1;  // contiguous elements: the innermost axes that are whole
    uint32_t count = 0; // pixels of Y

    /// The offset of pixel i of those axes in X, in pixels; negative for the fill value.
    __device__ int64_t source(uint32_t i, int firstAxis = 0) const {
        int64_t offset = 0;
        for (int k = firstAxis; k < rank; ++k) {
            auto const axis = static_cast<size_t>(k);
            uint32_t const rest = extents[axis].divide(i);
            uint32_t const place = i - rest * extents[axis].divisor();
            int64_t const from = isWhole[axis] ? place : axes[axis].from(place);
            if (from < 0) return -1;
            offset += from * strides[axis];
            i = rest;
        }
        return offset;
    }
};

/// The value outside of X: an element in device memory, or else these bits.
struct Fill {
    void const* element = nullptr;
    uint64_t bits = 0;
};

/// The value outside of X.
template <class T> __device__ T valueOf(Fill const& fill) {
    return fill.element ? *static_cast<T const*>(fill.element) : static_cast<T>(fill.bits);
}

/// `wide` elements are moved at once, and a pixel has `words` words.
template <class T, int wide, class Axis>
__global__ void samplePixels(T const* __restrict__ x, T* __restrict__ y, __grid_constant__ Sampled<Axis> const sampled,
                             __grid_constant__ Divider const words, Fill const fill) {
    using Word = Pack<T, wide>;
    forEachElement(int64_t{sampled.count} * words.divisor(), [&](int64_t i) {
        uint32_t const pixel = words.divide(static_cast<uint32_t>(i));
        uint32_t const inPixel = static_cast<uint32_t>(i) - pixel * words.divisor();
        int64_t const from = sampled.source(pixel);
        Word word;
        if (from >= 0) {
            word = reinterpret_cast<Word const*>(x)[from * words.divisor() + inPixel];
        } else {
            T const value = valueOf<T>(fill);
#pragma unroll
            for (int k = 0; k < wide; ++k) word.at[k] = value;
        }
        reinterpret_cast<Word*>(y)[i] = word;
    });
}

/// Pixels of one element: `wide` of them, adjacent along the innermost axis, are stored at once, and that axis has
/// `words` words.
template <class T, int wide, class Axis>
__global__ void sampleRows(T const* __restrict__ x, T* __restrict__ y, __grid_constant__ Sampled<Axis> const sampled,
                           __grid_constant__ Divider const words, Fill const fill) {
    forEachElement(sampled.count / wide, [&](int64_t i) {
        uint32_t const row = words.divide(static_cast<uint32_t>(i));
        uint32_t const first = (static_cast<uint32_t>(i) - row * words.divisor()) * wide;
        int64_t const start = sampled.source(row, 1);
        Pack<T, wide> word;
#pragma unroll
        for (int k = 0; k < wide; ++k) {
            int64_t const from = sampled.axes[0].from(first + k);
            word.at[k] = start < 0 || from < 0 ? valueOf<T>(fill) : x[start + from * sampled.strides[0]];
        }
        reinterpret_cast<Pack<T, wide>*>(y)[i] = word;
    });
}

/// How an axis of X is read: nullopt if it is copied unchanged.
template <class Axis> struct SampledAxis {
    int64_t extent; // of X
    int64_t count;  // of Y
    std::optional<Axis> how;
};

/// The axes in memory order. Contiguous axes that are copied unchanged are merged.
template <class Axis> Sampled<Axis> sampledOf(std::vector<SampledAxis<Axis>> const& axes) {
    Sampled<Axis> all;
    int64_t volume = 1;
    int64_t stride = 1;
    std::array<int64_t, Dims::kMaxRank> counts{};
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        auto const at = static_cast<size_t>(all.rank);
        volume *= axis->count;
        bool const isWhole = !axis->how;
        if (isWhole && all.rank == 0) {
            all.pixel *= axis->count;
        } else if (isWhole && all.isWhole[at - 1]) {
            counts[at - 1] *= axis->count;
            stride *= axis->extent;
        } else {
            counts[at] = axis->count;
            all.strides[at] = stride;
            all.isWhole[at] = isWhole;
            if (axis->how) all.axes[at] = *axis->how;
            ++all.rank;
            stride *= axis->extent;
        }
    }
    if (volume == 0) return {};
    if (volume >= int64_t{1} << 31)
        fail(ErrorCode::Unsupported, "a tensor of ", volume, " elements; expected fewer than 2^31");
    for (size_t i = 0; i < static_cast<size_t>(all.rank); ++i)
        all.extents[i] = Divider(static_cast<uint32_t>(counts[i]));
    all.count = static_cast<uint32_t>(volume / all.pixel);
    return all;
}

/// Fills Y, whose elements have this many bytes.
template <class Axis>
void launchSampled(Sampled<Axis> const& sampled, size_t elementBytes, void const* x, void* y, Fill const& fill,
                   cudaStream_t stream) {
    if (sampled.count == 0) return;
    auto const addresses = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
    auto const launch = [&]<class T>(TypeTag<T>) {
        auto const start = [&](auto* kernel, int64_t inWords, int64_t threads) {
            kernel<<<blocksFor(threads), kThreads, 0, stream>>>(static_cast<T const*>(x), static_cast<T*>(y), sampled,
                                                                Divider(static_cast<uint32_t>(inWords)), fill);
        };
        constexpr int kWide = 16 / sizeof(T);
        bool const isAligned = addresses % 16 == 0;
        if (isAligned && sampled.pixel % kWide == 0)
            start(samplePixels<T, kWide, Axis>, sampled.pixel / kWide, sampled.count * (sampled.pixel / kWide));
        else if (isAligned && sampled.pixel == 1 && sampled.extents[0].divisor() % kWide == 0)
            start(sampleRows<T, kWide, Axis>, sampled.extents[0].divisor() / kWide, sampled.count / kWide);
        else
            start(samplePixels<T, 1, Axis>, sampled.pixel, sampled.count * sampled.pixel);
    };
    switch (elementBytes) {
    case 1: launch(TypeTag<uint8_t>{}); break;
    case 2: launch(TypeTag<uint16_t>{}); break;
    case 4: launch(TypeTag<uint32_t>{}); break;
    default: launch(TypeTag<uint64_t>{}); break;
    }
    checkLaunch("sampled copy");
}

} // namespace tenon::cuda
