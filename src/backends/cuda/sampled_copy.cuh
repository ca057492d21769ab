// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/strided_copy.h"

#include <optional>

namespace tenon::cuda {

/// A dense tensor Y whose element at [i,j,…] is X[a(i),b(j),…], or the fill value where one of them is negative.
/// An Axis says which element of X stands at a place of Y: `int64_t from(uint32_t place)`.
template <class Axis> struct Sampled {
    int rank = 0;
    std::array<Divider, Dims::kMaxRank> extents; // of Y; innermost first, as all that follow
    std::array<int64_t, Dims::kMaxRank> strides{};
    std::array<bool, Dims::kMaxRank> isWhole{}; // Y takes the axis as it is
    std::array<Axis, Dims::kMaxRank> axes{};
    int64_t pixel = 1;  // elements that stay together: the innermost axes that are whole
    uint32_t count = 0; // pixels of Y

    /// Where the pixel lies in X, in pixels; negative where the fill value stands.
    __device__ int64_t source(uint32_t i) const {
        int64_t offset = 0;
        for (int k = 0; k < rank; ++k) {
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

/// The value outside X: an element in device memory, or else these bits.
struct Fill {
    void const* element = nullptr;
    uint64_t bits = 0;
};

/// `wide` elements move at once, and `words` words make a pixel.
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
            T const value = fill.element ? *static_cast<T const*>(fill.element) : static_cast<T>(fill.bits);
#pragma unroll
            for (int k = 0; k < wide; ++k) word.at[k] = value;
        }
        reinterpret_cast<Word*>(y)[i] = word;
    });
}

/// How an axis of X is read: nothing where it is taken as it is.
template <class Axis> struct SampledAxis {
    int64_t extent; // of X
    int64_t count;  // of Y
    std::optional<Axis> how;
};

/// The axes in the order in which they lie in memory. What is taken as it is and lies together becomes one axis.
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
        fail(ErrorCode::Unsupported, "a tensor of ", volume, " elements; expected less than 2^31");
    for (size_t i = 0; i < static_cast<size_t>(all.rank); ++i)
        all.extents[i] = Divider(static_cast<uint32_t>(counts[i]));
    all.count = static_cast<uint32_t>(volume / all.pixel);
    return all;
}

/// Fills Y, whose elements are of this many bytes.
template <class Axis>
void launchSampled(Sampled<Axis> const& sampled, size_t elementBytes, void const* x, void* y, Fill const& fill,
                   cudaStream_t stream) {
    if (sampled.count == 0) return;
    auto const addresses = reinterpret_cast<uintptr_t>(x) | reinterpret_cast<uintptr_t>(y);
    auto const launch = [&]<class T>(TypeTag<T>) {
        auto const start = [&]<int wide>(std::integral_constant<int, wide>) {
            Divider const words(static_cast<uint32_t>(sampled.pixel / wide));
            unsigned const blocks = blocksFor(int64_t{sampled.count} * words.divisor());
            samplePixels<T, wide>
                <<<blocks, kThreads, 0, stream>>>(static_cast<T const*>(x), static_cast<T*>(y), sampled, words, fill);
        };
        constexpr int kWide = 16 / sizeof(T);
        bool const fits = sampled.pixel % kWide == 0 && addresses % 16 == 0;
        fits ? start(std::integral_constant<int, kWide>{}) : start(std::integral_constant<int, 1>{});
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
