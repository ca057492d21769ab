// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reformat/image_reformat_cuda.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/indexing.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/scales.cuh"

#include <bit>

namespace tenon::cuda {
namespace {

constexpr int kTile = 32;
constexpr int kTileRows = 8; // rows that a block's threads cover at once

struct Images {
    uint32_t channels;
    uint32_t padded; // channels of the side with channels last
    Divider pixels;
    int64_t count; // pixels of all images
    Divider tilesAcross;
    Divider tiles; // of one image

    uint32_t tileCount() const { return tiles.divisor() * static_cast<uint32_t>(count / pixels.divisor()); }
};

/// The start of a block's tile.
struct Tile {
    int64_t image;
    uint32_t channel, pixel;

    __device__ explicit Tile(Images const& all) {
        uint32_t const number = all.tiles.divide(blockIdx.x);
        uint32_t const inImage = blockIdx.x - number * all.tiles.divisor();
        uint32_t const down = all.tilesAcross.divide(inImage);
        image = number;
        channel = down * kTile;
        pixel = (inImage - down * all.tilesAcross.divisor()) * kTile;
    }
};

/// X [outer, channels, pixels] → Y [outer, pixels, padded]
template <class X, class Y>
__global__ void tilesToLast(X const* __restrict__ x, Y* __restrict__ y, __grid_constant__ Images const all,
                            __grid_constant__ Scales const scales) {
    __shared__ Y tile[kTile][kTile + 1]; // [channel][pixel]; plus one: avoids bank conflicts along a column
    Tile const start(all);
    uint32_t const pixels = all.pixels.divisor();
#pragma unroll
    for (uint32_t down = threadIdx.y; down < kTile; down += kTileRows) {
        uint32_t const channel = start.channel + down;
        uint32_t const pixel = start.pixel + threadIdx.x;
        bool const isThere = channel < all.channels && pixel < pixels;
        tile[down][threadIdx.x] = isThere
                                      ? scales.convert<Y>(x[(start.image * all.channels + channel) * pixels + pixel])
                                      : convertTo<Y>(0.0F);
    }
    __syncthreads();
#pragma unroll
    for (uint32_t down = threadIdx.y; down < kTile; down += kTileRows) {
        uint32_t const channel = start.channel + threadIdx.x;
        uint32_t const pixel = start.pixel + down;
        if (channel < all.padded && pixel < pixels)
            y[(start.image * pixels + pixel) * all.padded + channel] = tile[threadIdx.x][down];
    }
}

/// X [outer, pixels, padded] → Y [outer, channels, pixels]
template <class X, class Y>
__global__ void tilesFromLast(X const* __restrict__ x, Y* __restrict__ y, __grid_constant__ Images const all,
                              __grid_constant__ Scales const scales) {
    __shared__ Y tile[kTile][kTile + 1]; // [pixel][channel]
    Tile const start(all);
    uint32_t const pixels = all.pixels.divisor();
#pragma unroll
    for (uint32_t down = threadIdx.y; down < kTile; down += kTileRows) {
        uint32_t const channel = start.channel + threadIdx.x;
        uint32_t const pixel = start.pixel + down;
        if (channel < all.channels && pixel < pixels)
            tile[down][threadIdx.x] = scales.convert<Y>(x[(start.image * pixels + pixel) * all.padded + channel]);
    }
    __syncthreads();
#pragma unroll
    for (uint32_t down = threadIdx.y; down < kTile; down += kTileRows) {
        uint32_t const channel = start.channel + down;
        uint32_t const pixel = start.pixel + threadIdx.x;
        if (channel < all.channels && pixel < pixels)
            y[(start.image * all.channels + channel) * pixels + pixel] = tile[threadIdx.x][down];
    }
}

/// All channels of a pixel: with one instruction if their number allows it.
template <class T, int channels> struct Pixel {
    T at[channels];

    __device__ void load(T const* from) {
        if constexpr ((channels & (channels - 1)) == 0) {
            *this = std::bit_cast<Pixel>(*reinterpret_cast<Pack<T, channels> const*>(from));
        } else {
#pragma unroll
            for (int c = 0; c < channels; ++c) at[c] = from[c];
        }
    }
    __device__ void store(T* to) const {
        if constexpr ((channels & (channels - 1)) == 0) {
            *reinterpret_cast<Pack<T, channels>*>(to) = std::bit_cast<Pack<T, channels>>(*this);
        } else {
#pragma unroll
            for (int c = 0; c < channels; ++c) to[c] = at[c];
        }
    }
};

/// The same as tilesToLast for small `padded`: one thread per pixel, so that reads of planes are coalesced.
template <class X, class Y, int padded>
__global__ void pixelsToLast(X const* __restrict__ x, Y* __restrict__ y, __grid_constant__ Images const all,
                             __grid_constant__ Scales const scales) {
    forEachElement(all.count, [&](int64_t i) {
        uint32_t const pixels = all.pixels.divisor();
        uint32_t const image = all.pixels.divide(static_cast<uint32_t>(i));
        X const* const from = x + int64_t{image} * all.channels * pixels + (i - int64_t{image} * pixels);
        Pixel<Y, padded> pixel;
#pragma unroll
        for (uint32_t c = 0; c < padded; ++c)
            pixel.at[c] = c < all.channels ? scales.convert<Y>(from[int64_t{c} * pixels]) : convertTo<Y>(0.0F);
        pixel.store(y + i * padded);
    });
}

template <class X, class Y, int padded>
__global__ void pixelsFromLast(X const* __restrict__ x, Y* __restrict__ y, __grid_constant__ Images const all,
                               __grid_constant__ Scales const scales) {
    forEachElement(all.count, [&](int64_t i) {
        uint32_t const pixels = all.pixels.divisor();
        uint32_t const image = all.pixels.divide(static_cast<uint32_t>(i));
        Y* const to = y + int64_t{image} * all.channels * pixels + (i - int64_t{image} * pixels);
        Pixel<X, padded> pixel;
        pixel.load(x + i * padded);
#pragma unroll
        for (uint32_t c = 0; c < padded; ++c) {
            if (c < all.channels) to[int64_t{c} * pixels] = scales.convert<Y>(pixel.at[c]);
        }
    });
}

template <class Body> void dispatchReal(DataType type, Body&& body) {
    if (type == DataType::UInt8) return body(TypeTag<uint8_t>{});
    dispatchKept(type, body);
}

class RunImages final : public Executable {
public:
    RunImages(Dims const& dims, Label const& from, Label const& to)
        : from_(from.type), to_(to.type), isToLast_(to.format.channelsLast), scales_(from, to) {
        Format const& last = isToLast_ ? to.format : from.format;
        int64_t const pixels = dims.volume(last.axis + 1, dims.rank());
        int64_t const channels = dims[last.axis];
        all_.count = dims.volume(0, last.axis) * pixels;
        all_.channels = static_cast<uint32_t>(channels);
        all_.padded = static_cast<uint32_t>((channels + last.block - 1) / last.block * last.block);
        if (dims.volume() == 0) return;
        auto const across = static_cast<uint32_t>((pixels + kTile - 1) / kTile);
        all_.pixels = Divider(static_cast<uint32_t>(pixels));
        all_.tilesAcross = Divider(across);
        all_.tiles = Divider(across * ((all_.padded + kTile - 1) / kTile));
    }

    void run(Pointers const& pointers) override {
        if (all_.count == 0 || all_.channels == 0) return;
        dispatchReal(from_, [&]<class X>(TypeTag<X>) {
            dispatchReal(to_, [&]<class Y>(TypeTag<Y>) {
                auto const* x = static_cast<X const*>(pointers.inputs[0]);
                auto* y = static_cast<Y*>(pointers.outputs[0]);
                launch(x, y, streamOf(pointers.stream));
            });
        });
        checkLaunch("reformat of images");
    }

private:
    template <class X, class Y> void launch(X const* x, Y* y, cudaStream_t stream) const {
        size_t const lastBytes = all_.padded * (isToLast_ ? sizeof(Y) : sizeof(X));
        auto const last = isToLast_ ? reinterpret_cast<uintptr_t>(y) : reinterpret_cast<uintptr_t>(x);
        bool const isAligned = all_.padded == 3 || last % lastBytes == 0;
        if (isAligned && all_.padded == 3) return launchPixels<X, Y, 3>(x, y, stream);
        if (isAligned && all_.padded == 4) return launchPixels<X, Y, 4>(x, y, stream);
        if (isAligned && all_.padded == 8) return launchPixels<X, Y, 8>(x, y, stream);
        if (isAligned && all_.padded == 16) return launchPixels<X, Y, 16>(x, y, stream);
        dim3 const threads(kTile, kTileRows);
        if (isToLast_)
            tilesToLast<<<all_.tileCount(), threads, 0, stream>>>(x, y, all_, scales_);
        else
            tilesFromLast<<<all_.tileCount(), threads, 0, stream>>>(x, y, all_, scales_);
    }

    template <class X, class Y, int padded> void launchPixels(X const* x, Y* y, cudaStream_t stream) const {
        unsigned const blocks = blocksFor(all_.count);
        if (isToLast_)
            pixelsToLast<X, Y, padded><<<blocks, kThreads, 0, stream>>>(x, y, all_, scales_);
        else
            pixelsFromLast<X, Y, padded><<<blocks, kThreads, 0, stream>>>(x, y, all_, scales_);
    }

    DataType from_;
    DataType to_;
    bool isToLast_;
    Images all_{};
    Scales scales_;
};

/// For floating point values: also 8-bit integers, with or without a scale.
bool isReal(Label const& label) {
    return isFloat(label.type) || label.type == DataType::Int8 || label.type == DataType::UInt8;
}

} // namespace

bool isOfImages(Label const& from, Label const& to) {
    bool const oneIsLast =
        (from.format.isLinear() && to.format.channelsLast) || (from.format.channelsLast && to.format.isLinear());
    return oneIsLast && isReal(from) && isReal(to);
}

std::unique_ptr<Executable> makeImageReformat(Dims const& dims, Label const& from, Label const& to) {
    return std::make_unique<RunImages>(dims, from, to);
}

} // namespace tenon::cuda
