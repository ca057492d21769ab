// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/roi_align/roi_align.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "layers/roi_align/roi_sums.h"

namespace tenon::cuda {
namespace {

/// The regions and X as kernel arguments, in elements. The host does not wait for the GPU and cannot detect a region of
/// an image that does not exist: its result is zero.
struct Regions {
    RoiFields fields;
    int64_t batch, channels, height, width;
    int64_t channelStep = 1, pixelStep = 1; // strides
    int64_t itemStep = 0;
    DataType boxType;
    bool isWide; // items are int64
    void const* boxes = nullptr;
    void const* items = nullptr;

    explicit Regions(PrepareArgs const& args)
        : fields(*as<RoiAlign>(*args.node.layer)), batch(args.inputs[0][0]), channels(args.inputs[0][1]),
          height(args.inputs[0][2]), width(args.inputs[0][3]), boxType(args.variant.inputs[1].type),
          isWide(args.variant.inputs[2].type == DataType::Int64) {
        Format const& format = args.variant.inputs[0].format;
        if (format.channelsLast)
            pixelStep = (channels + format.block - 1) / format.block * format.block;
        else
            channelStep = height * width;
        itemStep = height * width * (format.channelsLast ? pixelStep : channels);
    }

    Regions at(Pointers const& pointers) const {
        Regions regions = *this;
        regions.boxes = pointers.inputs[1];
        regions.items = pointers.inputs[2];
        return regions;
    }

    /// -1 for one that does not exist.
    __device__ int64_t item(int64_t region) const {
        int64_t const item =
            isWide ? static_cast<int64_t const*>(items)[region] : static_cast<int32_t const*>(items)[region];
        return item >= 0 && item < batch ? item : -1;
    }

    __device__ RoiSide side(int64_t region, bool isDown) const {
        int64_t const least = 4 * region + (isDown ? 1 : 0);
        return {coordinate(least), coordinate(least + 2), isDown ? fields.height : fields.width, fields};
    }

private:
    __device__ float coordinate(int64_t i) const {
        if (boxType == DataType::Float16) return toFloat(static_cast<__half const*>(boxes)[i]);
        if (boxType == DataType::BFloat16) return toFloat(static_cast<__nv_bfloat16 const*>(boxes)[i]);
        return static_cast<float const*>(boxes)[i];
    }
};

/// Any mode, point by point: one thread per bin of one channel.
template <class T>
__global__ void poolPoints(T const* __restrict__ x, T* __restrict__ y, int64_t count,
                           __grid_constant__ Regions const regions) {
    int64_t const bins = regions.fields.height * regions.fields.width;
    forEachElement(count, [&](int64_t i) {
        int64_t const row = i / bins;
        int64_t const region = row / regions.channels;
        int64_t const item = regions.item(region);
        if (item < 0) {
            y[i] = convertTo<T>(0.F);
            return;
        }
        T const* const channel = x + item * regions.itemStep + row % regions.channels * regions.channelStep;
        RoiPicture<T> const picture{channel, regions.height, regions.width, regions.pixelStep};
        y[i] = convertTo<T>(
            picture.pooled(regions.side(region, true), regions.side(region, false), i % bins, regions.fields));
    });
}

class PoolingPoints final : public Executable {
public:
    explicit PoolingPoints(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), count_(args.outputs[0].volume()), regions_(args) {}

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            poolPoints<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), count_,
                regions_.at(pointers));
        });
        checkLaunch("pooling of regions");
    }

private:
    DataType type_;
    int64_t count_;
    Regions regions_;
};

/// The shared memory of a block that pools some channels of one region: their bins in the layout of Y, and the weights
/// of the bins, which are computed once for all channels.
struct BlockRoom {
    int64_t rows, columns; // of bins
    int64_t rowShares, columnShares;
    int64_t channels = 0; // 0: it does not fit
    int64_t blocks = 0;   // per region
    int64_t tileBytes = 0;

    BlockRoom(RoiFields const& fields, Dims const& x, DataType type)
        : rows(fields.height), columns(fields.width), rowShares(mostSharesApart(rows, x[2])),
          columnShares(mostSharesApart(columns, x[3])) {
        constexpr int64_t kMost = 48 << 10;     // available to a block on every GPU
        constexpr int64_t kMostTile = 28 << 10; // so that several blocks share a multiprocessor
        int64_t const bytesOfChannel = rows * columns * bitsOf(type) / 8;
        int64_t const most = std::min(kMostTile, kMost - tableBytes()) / bytesOfChannel / kStep * kStep;
        if (most <= 0) return;
        int64_t const parts = (x[1] + most - 1) / most; // with about the same number of channels each
        channels = ((x[1] + parts - 1) / parts + kStep - 1) / kStep * kStep;
        blocks = (x[1] + channels - 1) / channels;
        tileBytes = channels * bytesOfChannel;
    }

    size_t bytes() const { return static_cast<size_t>(tileBytes + tableBytes()); }

private:
    static constexpr int64_t kStep = 16; // channels: multiples are whole packs, and their tiles end aligned

    int64_t tableBytes() const {
        return (rowShares + columnShares) * static_cast<int64_t>(sizeof(RoiShare)) +
               (rows + columns) * static_cast<int64_t>(sizeof(RoiSpan));
    }
};

/// The same in a kernel.
template <class T> struct BlockMemory {
    T* tile; // [channels, rows, columns]
    RoiShare* rowShares;
    RoiShare* columnShares;
    RoiSpan* rows;
    RoiSpan* columns;

    __device__ BlockMemory(std::byte* memory, BlockRoom const& room)
        : tile(reinterpret_cast<T*>(memory)), rowShares(reinterpret_cast<RoiShare*>(memory + room.tileBytes)),
          columnShares(rowShares + room.rowShares), rows(reinterpret_cast<RoiSpan*>(columnShares + room.columnShares)),
          columns(rows + room.rows) {}

    /// The bins of a region that does not exist have no weights.
    __device__ void findShares(Regions const& regions, int64_t region, BlockRoom const& room) const {
        bool const isThere = regions.item(region) >= 0;
        for (int64_t i = threadIdx.x; i < room.rows + room.columns; i += blockDim.x) {
            int64_t const column = i - room.rows;
            if (!isThere)
                rows[i] = {0, 0};
            else if (column < 0)
                rows[i] = findApart(rowShares, regions.side(region, true), i, room.rows, regions.height);
            else
                columns[column] =
                    findApart(columnShares, regions.side(region, false), column, room.columns, regions.width);
        }
    }
};

/// Adds pixels of a line of X, for adjacent channels. All loads are issued before the first is used.
template <int count, class T, int width>
__device__ void addPixels(Pack<float, width>& sums, T const* line, int32_t step, RoiShare const* shares, float weight) {
    Pack<T, width> taken[count];
#pragma unroll
    for (int i = 0; i < count; ++i)
        taken[i] = *reinterpret_cast<Pack<T, width> const*>(line + int64_t{shares[i].at} * step);
#pragma unroll
    for (int i = 0; i < count; ++i) {
        float const share = weight * shares[i].weight;
#pragma unroll
        for (int k = 0; k < width; ++k) sums.at[k] += share * toFloat(taken[i].at[k]);
    }
}

/// One bin of adjacent channels, which start at `x`.
template <class T, int width>
__device__ Pack<float, width> sumsOf(T const* x, Regions const& regions, BlockMemory<T> const& memory, RoiSpan rows,
                                     RoiSpan columns) {
    auto const step = static_cast<int32_t>(regions.pixelStep);
    auto const lineStep = static_cast<int32_t>(regions.width * regions.pixelStep);
    Pack<float, width> sums{};
    for (int32_t row = rows.first; row < rows.end; ++row) {
        RoiShare const down = memory.rowShares[row];
        T const* const line = x + int64_t{down.at} * lineStep;
        int32_t column = columns.first;
        for (; column + 1 < columns.end; column += 2)
            addPixels<2>(sums, line, step, memory.columnShares + column, down.weight);
        if (column < columns.end) addPixels<1>(sums, line, step, memory.columnShares + column, down.weight);
    }
    return sums;
}

/// A thread processes one row of bins of `width` channels at a time.
template <class T, int width>
__device__ void poolTile(BlockMemory<T> const& memory, T const* x, int channels, Regions const& regions,
                         BlockRoom const& room) {
    auto const rows = static_cast<int>(room.rows);
    auto const columns = static_cast<int>(room.columns);
    int const packs = (channels + width - 1) / width;
    for (int i = static_cast<int>(threadIdx.x); i < packs * rows; i += static_cast<int>(blockDim.x)) {
        int const row = i / packs;
        int const channel = (i - row * packs) * width;
        T* const to = memory.tile + (channel * rows + row) * columns;
        for (int column = 0; column < columns; ++column) {
            auto const sums = sumsOf<T, width>(x + channel, regions, memory, memory.rows[row], memory.columns[column]);
#pragma unroll
            for (int k = 0; k < width; ++k) to[k * rows * columns + column] = convertTo<T>(sums.at[k]);
        }
    }
}

/// Stores a tile in Y, in words if they are aligned.
template <class T> __device__ void storeTile(T* y, T const* tile, int64_t count) {
    constexpr int kWide = 16 / sizeof(T);
    int64_t const words = reinterpret_cast<uintptr_t>(y) % 16 == 0 ? count / kWide : 0;
    using Word = Pack<T, kWide>;
    for (int64_t i = threadIdx.x; i < words; i += blockDim.x)
        reinterpret_cast<Word*>(y)[i] = reinterpret_cast<Word const*>(tile)[i];
    for (int64_t i = words * kWide + threadIdx.x; i < count; i += blockDim.x) y[i] = tile[i];
}

/// Means as weighted sums, for X with channels last: a block processes one region and some of the channels at a time.
template <class T, int width>
__global__ void __launch_bounds__(kThreads, 4)
    poolShares(T const* __restrict__ x, T* __restrict__ y, int64_t blocks, __grid_constant__ Regions const regions,
               __grid_constant__ BlockRoom const room) {
    extern __shared__ uint4 shared[];
    BlockMemory<T> const memory(reinterpret_cast<std::byte*>(shared), room);
    int64_t const bins = room.rows * room.columns;
    for (int64_t block = blockIdx.x; block < blocks; block += gridDim.x) {
        int64_t const region = block / room.blocks;
        int64_t const first = (block - region * room.blocks) * room.channels;
        int64_t const channels = min(room.channels, regions.channels - first);
        int64_t const item = max(regions.item(region), int64_t{0}); // nothing is read for one that does not exist
        memory.findShares(regions, region, room);
        __syncthreads();
        poolTile<T, width>(memory, x + item * regions.itemStep + first, static_cast<int>(channels), regions, room);
        __syncthreads();
        storeTile(y + (region * regions.channels + first) * bins, memory.tile, channels * bins);
        __syncthreads();
    }
}

class PoolingShares final : public Executable {
public:
    PoolingShares(PrepareArgs const& args, BlockRoom const& room)
        : type_(args.variant.inputs[0].type), regions_(args), room_(room), blocks_(args.outputs[0][0] * room.blocks) {}

    void run(Pointers const& pointers) override {
        auto const address = reinterpret_cast<uintptr_t>(pointers.inputs[0]);
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            constexpr int kWide = 16 / sizeof(T);
            address % 16 == 0 && regions_.pixelStep % kWide == 0 ? launch<T, kWide>(pointers) : launch<T, 1>(pointers);
        });
        checkLaunch("pooling of regions");
    }

private:
    template <class T, int width> void launch(Pointers const& pointers) const {
        auto const threads = std::min<int64_t>(kThreads, (room_.rows * room_.channels / width + 31) / 32 * 32);
        poolShares<T, width>
            <<<blocksFor(blocks_, 1), static_cast<unsigned>(threads), room_.bytes(), streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), blocks_,
                regions_.at(pointers), room_);
    }

    DataType type_;
    Regions regions_;
    BlockRoom room_;
    int64_t blocks_;
};

/// How bins are pooled as weighted sums of X in this format; 0 channels if that does not fit.
BlockRoom roomFor(RoiAlign const& layer, Dims const& x, Label const& label) {
    BlockRoom room(RoiFields(layer), x, label.type);
    bool const isCounted = paddedVolume({x[3], x[1]}, label.format) <= INT32_MAX; // elements of a line
    if (layer.mode != RoiAlign::Mode::Average || !label.format.channelsLast || !isCounted) room.channels = 0;
    return room;
}

class CudaRoiAlign final : public Kernel {
public:
    std::string_view name() const override { return "cuda_roi_align"; }

    // float, X linear or channels last; the regions in the network's type: rounding would move them
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<RoiAlign>(*query.node.layer);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            for (Format const& format : {Format::linear(), Format::nhwc(), Format::nhwc(8)}) {
                auto const plain = [&](int input) {
                    return Label{query.node.input(input)->type, Format::linear(), kCuda};
                };
                Label const x{type, format, kCuda};
                Label const y{type, Format::linear(), kCuda};
                Variant variant{.inputs = {x, plain(1), plain(2)}, .outputs = {y}};
                auto const elements = static_cast<double>(query.outputs[0].volume());
                bool const isByShares = roomFor(layer, query.inputs[0], x).channels > 0;
                variant.cost = isByShares ? kBlockNs + kernelCost(6 * elements) : kernelCost(90 * elements); // measured
                offer.variants.push_back(std::move(variant));
            }
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        auto const& layer = *as<RoiAlign>(*args.node.layer);
        BlockRoom const room = roomFor(layer, args.inputs[0], args.variant.inputs[0]);
        if (room.channels > 0) return std::make_unique<PoolingShares>(args, room);
        return std::make_unique<PoolingPoints>(args);
    }

private:
    static constexpr double kBlockNs = 8e3; // time of a block for computing weights, however few there are
};

constexpr CudaRoiAlign kRoiAlign;
constexpr Kernel const* kKernels[]{&kRoiAlign};

} // namespace

KernelList roiAlignKernels() { return {RoiAlign::kKind, kKernels}; }

} // namespace tenon::cuda
