// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/cumulative/cumulative.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/host_lists.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;

/// Lines are cut into chunks where there are too few lines to fill the GPU. The totals of the chunks are computed
/// first; then each chunk begins with what those before it make together.
struct Lines {
    int64_t length;
    int64_t inner;
    int64_t count;  // of lines
    int64_t chunk;  // elements of a chunk
    int64_t chunks; // of a line
    bool reverse;
    bool exclusive;

    __device__ int64_t place(int64_t line, int64_t i) const {
        int64_t const at = reverse ? length - 1 - i : i;
        return (line / inner * length + at) * inner + line % inner;
    }
};

struct Sum {
    template <class S> static __device__ S neutral() { return 0; }
    template <class S> static __device__ S join(S a, S b) { return a + b; }
};

struct Product {
    template <class S> static __device__ S neutral() { return 1; }
    template <class S> static __device__ S join(S a, S b) { return a * b; }
};

/// What is computed in: unsigned integers wrap around, and give the lowest bits of any other.
template <class T>
using Wide = std::conditional_t<std::is_integral_v<T>, std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>, double>;

template <class T> __device__ Wide<T> widened(T value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<Wide<T>>(value);
    else
        return static_cast<double>(toFloat(value));
}

template <class T> __device__ T narrowed(Wide<T> value) {
    if constexpr (std::is_integral_v<T>)
        return static_cast<T>(value);
    else
        return convertTo<T>(static_cast<float>(value));
}

/// What the threads before this one, this one, and all have together.
template <class S> struct Scanned {
    S before;
    S with;
    S all;
};

/// Every thread of the block takes part; `shared` has room for one number a warp.
template <class Op, class S> __device__ Scanned<S> scanBlock(S mine, S* shared) {
    int const lane = static_cast<int>(threadIdx.x) % kWarp;
    int const warp = static_cast<int>(threadIdx.x) / kWarp;
    S with = mine;
#pragma unroll
    for (int step = 1; step < kWarp; step *= 2) {
        S const other = __shfl_up_sync(~0U, with, step);
        if (lane >= step) with = Op::join(other, with);
    }
    S before = __shfl_up_sync(~0U, with, 1);
    if (lane == 0) before = Op::template neutral<S>();
    if (lane == kWarp - 1) shared[warp] = with;
    __syncthreads();
    S ahead = Op::template neutral<S>();
    S all = Op::template neutral<S>();
#pragma unroll
    for (int i = 0; i < kWarps; ++i) {
        if (i == warp) ahead = all;
        all = Op::join(all, shared[i]);
    }
    __syncthreads(); // before it is written again
    return {Op::join(ahead, before), Op::join(ahead, with), all};
}

/// X [outer, length] → totals [line, chunk]. A block takes a chunk.
template <class T, class Op>
__global__ void totalRows(T const* __restrict__ x, Wide<T>* __restrict__ totals, __grid_constant__ Lines const lines) {
    __shared__ Wide<T> shared[kWarps];
    for (int64_t item = blockIdx.x; item < lines.count * lines.chunks; item += gridDim.x) {
        int64_t const line = item / lines.chunks;
        int64_t const begin = item % lines.chunks * lines.chunk;
        int64_t const end = min(lines.length, begin + lines.chunk);
        auto mine = Op::template neutral<Wide<T>>();
        for (int64_t i = begin + threadIdx.x; i < end; i += kThreads)
            mine = Op::join(mine, widened(x[lines.place(line, i)]));
        auto const scanned = scanBlock<Op>(mine, shared);
        if (threadIdx.x == 0) totals[item] = scanned.all;
    }
}

/// X [outer, length] → Y [the same]. A block takes a chunk, kThreads elements at a time.
template <class T, class Op>
__global__ void scanRows(T const* __restrict__ x, T* __restrict__ y, Wide<T> const* __restrict__ totals,
                         __grid_constant__ Lines const lines) {
    __shared__ Wide<T> shared[kWarps];
    auto const neutral = Op::template neutral<Wide<T>>();
    for (int64_t item = blockIdx.x; item < lines.count * lines.chunks; item += gridDim.x) {
        int64_t const line = item / lines.chunks;
        int64_t const number = item % lines.chunks;
        int64_t const begin = number * lines.chunk;
        int64_t const end = min(lines.length, begin + lines.chunk);
        auto mine = neutral;
        for (int64_t k = threadIdx.x; k < number; k += kThreads) mine = Op::join(mine, totals[item - number + k]);
        auto carry = number == 0 ? neutral : scanBlock<Op>(mine, shared).all; // the whole block has one number
        for (int64_t tile = begin; tile < end; tile += kThreads) {
            int64_t const i = tile + threadIdx.x;
            int64_t const at = i < end ? lines.place(line, i) : 0;
            auto const scanned = scanBlock<Op>(i < end ? widened(x[at]) : neutral, shared);
            if (i < end) y[at] = narrowed<T>(Op::join(carry, lines.exclusive ? scanned.before : scanned.with));
            carry = Op::join(carry, scanned.all);
        }
    }
}

/// X [outer, length, inner] → totals [chunk, line]. A thread takes a chunk, so that a warp reads side by side.
template <class T, class Op>
__global__ void totalColumns(T const* __restrict__ x, Wide<T>* __restrict__ totals,
                             __grid_constant__ Lines const lines) {
    forEachElement(lines.count * lines.chunks, [&](int64_t item) {
        int64_t const line = item % lines.count;
        int64_t const begin = item / lines.count * lines.chunk;
        int64_t const end = min(lines.length, begin + lines.chunk);
        auto all = Op::template neutral<Wide<T>>();
        for (int64_t i = begin; i < end; ++i) all = Op::join(all, widened(x[lines.place(line, i)]));
        totals[item] = all;
    });
}

/// X [outer, length, inner] → Y [the same], likewise.
template <class T, class Op>
__global__ void scanColumns(T const* __restrict__ x, T* __restrict__ y, Wide<T> const* __restrict__ totals,
                            __grid_constant__ Lines const lines) {
    forEachElement(lines.count * lines.chunks, [&](int64_t item) {
        int64_t const line = item % lines.count;
        int64_t const number = item / lines.count;
        int64_t const begin = number * lines.chunk;
        int64_t const end = min(lines.length, begin + lines.chunk);
        auto all = Op::template neutral<Wide<T>>();
        for (int64_t k = 0; k < number; ++k) all = Op::join(all, totals[k * lines.count + line]);
        for (int64_t i = begin; i < end; ++i) {
            int64_t const at = lines.place(line, i);
            auto const with = Op::join(all, widened(x[at]));
            y[at] = narrowed<T>(lines.exclusive ? all : with);
            all = with;
        }
    });
}

class Accumulating final : public Executable {
public:
    explicit Accumulating(PrepareArgs const& args)
        : layer_(*as<Cumulative>(*args.node.layer)), type_(args.variant.inputs[0].type), x_(args.inputs[0]),
          lists_(args.node, args.inputs) {}

    size_t workspaceBytes() const override { return kMostTotals * sizeof(uint64_t); }

    void run(Pointers const& pointers) override {
        if (x_.volume() == 0) return;
        lists_.update(pointers);
        Lines const lines = linesOf(CumulativeSpace(x_, lists_.tensors()[Cumulative::kAxis]));
        dispatchElement(type_, [&]<class T>(TypeTag<T>) {
            layer_.operation == Cumulative::Operation::Prod ? launch<T, Product>(lines, pointers)
                                                            : launch<T, Sum>(lines, pointers);
        });
        checkLaunch("cumulative operation");
    }

private:
    static constexpr int64_t kMostTotals = int64_t{1} << 16;
    static constexpr int64_t kEnough = int64_t{1} << 17; // threads that keep a GPU busy
    static constexpr int64_t kMostChunks = 1024;         // each reads the totals of all before it
    static constexpr int64_t kLeastOfRow = 16 * kThreads;
    static constexpr int64_t kLeastOfColumn = 64;

    Lines linesOf(CumulativeSpace const& space) const {
        Lines lines{space.length,   space.inner,     space.outer * space.inner, space.length, 1,
                    layer_.reverse, layer_.exclusive};
        int64_t const threads = lines.count * (space.inner == 1 ? kThreads : 1);
        int64_t const least = space.inner == 1 ? kLeastOfRow : kLeastOfColumn;
        int64_t const chunks =
            std::min({kEnough / threads, lines.length / least, kMostTotals / lines.count, kMostChunks});
        if (chunks <= 1) return lines;
        lines.chunk = (lines.length + chunks - 1) / chunks;
        lines.chunks = (lines.length + lines.chunk - 1) / lines.chunk;
        return lines;
    }

    template <class T, class Op> void launch(Lines const& lines, Pointers const& pointers) const {
        cudaStream_t const stream = streamOf(pointers.stream);
        auto const* x = static_cast<T const*>(pointers.inputs[0]);
        auto* y = static_cast<T*>(pointers.outputs[0]);
        auto* totals = static_cast<Wide<T>*>(pointers.workspace);
        int64_t const items = lines.count * lines.chunks;
        if (lines.inner == 1) {
            unsigned const blocks = blocksFor(items, 1);
            if (lines.chunks > 1) totalRows<T, Op><<<blocks, kThreads, 0, stream>>>(x, totals, lines);
            scanRows<T, Op><<<blocks, kThreads, 0, stream>>>(x, y, totals, lines);
        } else {
            unsigned const blocks = blocksFor(items);
            if (lines.chunks > 1) totalColumns<T, Op><<<blocks, kThreads, 0, stream>>>(x, totals, lines);
            scanColumns<T, Op><<<blocks, kThreads, 0, stream>>>(x, y, totals, lines);
        }
    }

    Cumulative const& layer_; // lives in the engine's graph
    DataType type_;
    Dims x_;
    HostLists lists_;
};

class CudaCumulative final : public Kernel {
public:
    std::string_view name() const override { return "cuda_cumulative"; }

    // linear
    Offer offer(KernelQuery const& query) const override { return offerMoving(query, {.reads = {3}}); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<Accumulating>(args);
    }
};

constexpr CudaCumulative kCumulative;
constexpr Kernel const* kKernels[]{&kCumulative};

} // namespace

KernelList cumulativeKernels() { return {Cumulative::kKind, kKernels}; }

} // namespace tenon::cuda
