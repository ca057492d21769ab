// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/reformat/reformat.h"

#include "backends/cpu/convert.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/transpose.h"
#include "backends/cpu/view.h"
#include "base/error.h"
#include "base/parallel.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace tenon::cpu {
namespace {

constexpr int64_t kThreadBytes = kCopyGrain / 4; // for bytes that are converted or transposed

/// Same order of elements: converts the type, padding included (zero in every type).
class ConvertAll final : public Executable {
public:
    ConvertAll(int64_t count, Label const& from, Label const& to)
        : count_(count), fromBytes_(bitsOf(from.type) / 8), toBytes_(bitsOf(to.type) / 8), convert_(from, to) {}

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<std::byte const*>(pointers.inputs[0]);
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        parallelFor(count_, kThreadBytes / std::max(fromBytes_, toBytes_), [&](int64_t begin, int64_t end) {
            convert_(x + begin * fromBytes_, y + begin * toBytes_, end - begin);
        });
    }

private:
    int64_t count_, fromBytes_, toBytes_;
    Converter convert_;
};

/// One side of a reformat: a tensor [outer, channels, pixels] in one of Tenon's formats. All strides are in elements.
struct Side {
    Format format;
    int64_t outer, channels, pixels; // channels: padding included
    int64_t pixelStride;             // if the channels of a pixel are contiguous
    int64_t bytes;

    Side(Dims const& dims, Label const& label, int axis)
        : format(label.format), outer(dims.volume(0, axis)), channels(dims[axis]),
          pixels(dims.volume(axis + 1, dims.rank())), bytes(bitsOf(label.type) / 8) {
        int64_t const block = format.block;
        if (!format.isLinear()) channels = (channels + block - 1) / block * block;
        pixelStride = format.channelsLast ? channels : block;
    }

    bool isLinear() const { return format.isLinear(); }
    /// The number of contiguous channels in each pixel of a group; 0: any number.
    int64_t run() const { return isLinear() || format.channelsLast ? 0 : format.block; }
    int64_t offset(int64_t o, int64_t channel, int64_t pixel) const {
        if (isLinear()) return (o * channels + channel) * pixels + pixel;
        if (format.channelsLast) return (o * pixels + pixel) * channels + channel;
        int64_t const block = format.block;
        return (o * channels + channel / block * block) * pixels + pixel * block + channel % block;
    }
};

template <class Byte> struct Rows {
    Byte* first;
    int64_t step; // to the next row, in bytes
};

template <size_t bytes> void copyRowsOf(int64_t rows, Rows<std::byte const> from, Rows<std::byte> to) {
    for (int64_t i = 0; i < rows; ++i) std::memcpy(to.first + i * to.step, from.first + i * from.step, bytes);
}

/// The compiler knows the sizes of rows of 8 or 16 elements.
void copyRows(int64_t bytes, int64_t rows, Rows<std::byte const> from, Rows<std::byte> to) {
    switch (bytes) {
    case 8: return copyRowsOf<8>(rows, from, to);
    case 16: return copyRowsOf<16>(rows, from, to);
    case 32: return copyRowsOf<32>(rows, from, to);
    case 64: return copyRowsOf<64>(rows, from, to);
    }
    for (int64_t i = 0; i < rows; ++i)
        std::memcpy(to.first + i * to.step, from.first + i * from.step, static_cast<size_t>(bytes));
}

/// Between formats: a few channels of a few pixels at a time, converted row by row and transposed if the formats differ
/// in which of the two is contiguous.
class ReformatBlocks final : public Executable {
public:
    ReformatBlocks(Dims const& dims, Label const& from, Label const& to)
        : axis_(from.format.isLinear() ? to.format.axis : from.format.axis), from_(dims, from, axis_),
          to_(dims, to, axis_), channels_(dims[axis_]), convert_(from, to),
          transpose_(transposeFor(static_cast<size_t>(to_.bytes))), converts_(!sameElements(from, to)) {
        int64_t const common = std::gcd(from_.run(), to_.run());
        width_ = std::min(common == 0 ? to_.channels : common, kMostWidth);
        bool const areFew = width_ * kMostPixels <= kTile * kMostWidth;
        pixels_ = areFew ? kMostPixels : kTile;
        groups_ = (to_.channels + width_ - 1) / width_;
        tiles_ = (from_.pixels + pixels_ - 1) / pixels_;
    }

    void run(Pointers const& pointers) override {
        auto const* x = static_cast<std::byte const*>(pointers.inputs[0]);
        auto* y = static_cast<std::byte*>(pointers.outputs[0]);
        int64_t const tileBytes = width_ * pixels_ * to_.bytes;
        parallelFor(from_.outer * groups_ * tiles_, std::max<int64_t>(1, kThreadBytes / tileBytes),
                    [&](int64_t begin, int64_t end) {
                        for (int64_t i = begin; i < end; ++i) reformatTile(x, y, i);
                    });
    }

private:
    static constexpr int64_t kTile = 64;         // pixels
    static constexpr int64_t kMostWidth = 64;    // channels: with 8 bytes an element a tile is 32 KB
    static constexpr int64_t kMostPixels = 1024; // for few channels

    struct Tile {
        std::byte const* from;
        std::byte* to;
        int64_t pixels;
        int64_t channels; // without padding
        int64_t width;    // of the target, padding included
    };

    void reformatTile(std::byte const* x, std::byte* y, int64_t number) const {
        int64_t const pixel = number % tiles_ * pixels_;
        int64_t const channel = number / tiles_ % groups_ * width_;
        int64_t const o = number / tiles_ / groups_;
        Tile const tile{x + from_.offset(o, std::min(channel, channels_ - 1), pixel) * from_.bytes,
                        y + to_.offset(o, channel, pixel) * to_.bytes, std::min(pixels_, from_.pixels - pixel),
                        std::clamp<int64_t>(channels_ - channel, 0, width_), std::min(width_, to_.channels - channel)};
        if (from_.isLinear()) return gather(tile);
        if (to_.isLinear()) return scatter(tile);
        bool const fills = tile.channels == width_; // a tile of a side whose pixels have no gaps between them
        if (converts_ && fills && to_.pixelStride == width_) return convertAfterCopy(tile);
        if (converts_ && fills && from_.pixelStride == width_) return convertBeforeCopy(tile);
        for (int64_t p = 0; p < tile.pixels; ++p)
            convert_(tile.from + p * from_.pixelStride * from_.bytes, tile.to + p * to_.pixelStride * to_.bytes,
                     tile.channels);
        clear(tile);
    }

    // All pixels at once: one of them is too little for the startup cost of a conversion.
    void convertAfterCopy(Tile const& tile) const {
        alignas(64) std::byte dense[kTile * kMostWidth * 8];
        copyRows(width_ * from_.bytes, tile.pixels, {tile.from, from_.pixelStride * from_.bytes},
                 {dense, width_ * from_.bytes});
        convert_(dense, tile.to, tile.pixels * width_);
    }
    void convertBeforeCopy(Tile const& tile) const {
        alignas(64) std::byte dense[kTile * kMostWidth * 8];
        convert_(tile.from, dense, tile.pixels * width_);
        copyRows(width_ * to_.bytes, tile.pixels, {dense, width_ * to_.bytes}, {tile.to, to_.pixelStride * to_.bytes});
    }

    /// Rows of pixels, one for each channel, become columns.
    void gather(Tile const& tile) const {
        MatrixView rows{tile.from, from_.pixels, tile.channels, tile.pixels};
        alignas(64) std::byte converted[kTile * kMostWidth * 8];
        if (converts_) {
            for (int64_t c = 0; c < tile.channels; ++c)
                convert_(tile.from + c * from_.pixels * from_.bytes, converted + c * pixels_ * to_.bytes, tile.pixels);
            rows = {converted, pixels_, tile.channels, tile.pixels};
        }
        transpose_(rows, tile.to, to_.pixelStride);
        clear(tile);
    }

    /// Rows of channels, one for each pixel, become columns.
    void scatter(Tile const& tile) const {
        MatrixView rows{tile.from, from_.pixelStride, tile.pixels, tile.channels};
        alignas(64) std::byte converted[kTile * kMostWidth * 8];
        if (converts_) {
            for (int64_t p = 0; p < tile.pixels; ++p)
                convert_(tile.from + p * from_.pixelStride * from_.bytes, converted + p * width_ * to_.bytes,
                         tile.channels);
            rows = {converted, width_, tile.pixels, tile.channels};
        }
        transpose_(rows, tile.to, to_.pixels);
    }

    /// Padding channels are zero.
    void clear(Tile const& tile) const {
        if (tile.channels == tile.width) return;
        for (int64_t p = 0; p < tile.pixels; ++p)
            std::memset(tile.to + (p * to_.pixelStride + tile.channels) * to_.bytes, 0,
                        static_cast<size_t>((tile.width - tile.channels) * to_.bytes));
    }

    int axis_;
    Side from_;
    Side to_;
    int64_t channels_;
    int64_t width_;  // channels of a tile
    int64_t pixels_; // and its pixels
    int64_t groups_;
    int64_t tiles_;
    Converter convert_;
    Transpose transpose_;
    bool converts_;
};

class CpuReformat final : public Kernel {
public:
    std::string_view name() const override { return "reformat"; }
    bool takesEmpty() const override { return true; }

    // between the labels that the tensors already have
    Offer offer(KernelQuery const& query) const override {
        Label const& from = query.node.input(0)->label;
        Label const& to = query.node.output()->label;
        if (from.device != Device::Cpu || to.device != Device::Cpu) return Offer::refuse("supports host memory only");
        if (!Converter::exists(from, to)) return Offer::refuse(text("does not convert ", from.type, " to ", to.type));
        bool const oneAxis = from.format.isLinear() || to.format.isLinear() || from.format.axis == to.format.axis;
        if (!oneAxis) return Offer::refuse("the formats have different channel axes");
        Variant variant{.inputs = {from}, .outputs = {to}};
        variant.view = sameBytes(from, to, query.node.input(0)->shape);
        variant.cost = backend().reformatCost(query.inputs[0], from, to);
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        Label const& from = args.variant.inputs[0];
        Label const& to = args.variant.outputs[0];
        Dims const& dims = args.inputs[0];
        if (args.variant.view) return makeView(args);
        if (from.format == to.format || dims.volume() == 0)
            return std::make_unique<ConvertAll>(dims.volume() == 0 ? 0 : paddedVolume(dims, from.format), from, to);
        return std::make_unique<ReformatBlocks>(dims, from, to);
    }
};

constexpr CpuReformat kReformat;
constexpr Kernel const* kKernels[]{&kReformat};

} // namespace

KernelList reformatKernels() { return {Reformat::kKind, kKernels}; }

} // namespace tenon::cpu
