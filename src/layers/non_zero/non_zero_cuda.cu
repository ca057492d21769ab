// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/non_zero/non_zero.h"

#include "backends/cuda/divider.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/sum_up.cuh"
#include "base/tensor_size.h"

#include <array>

namespace tenon::cuda {
namespace {

// The length of Y's rows is the number of coordinates, so all are counted before the first is written: the elements of
// each block are counted, the counts are summed, and the elements are read again and their coordinates written.

constexpr int kWarpSize = 32;
constexpr int kWarps = kThreads / kWarpSize;
constexpr int kRows = 16;                                // of kWarpSize elements, which a warp checks in turn
constexpr int64_t kPerBlock = int64_t{kThreads} * kRows; // elements

/// Nonzero elements of this warp's rows: one bit for each lane.
struct WarpRows {
    unsigned masks[kRows];
    int count = 0;

    template <class T> __device__ WarpRows(T const* __restrict__ x, int64_t first, int64_t elements) {
        int const lane = threadIdx.x % kWarpSize;
#pragma unroll
        for (int row = 0; row < kRows; ++row) {
            int64_t const i = first + row * kWarpSize + lane;
            // -0 and NaN as numbers, not as bits: 0 == -0, NaN is not 0
            bool const found = i < elements && (std::is_integral_v<T> ? x[i] != T(0) : toFloat(x[i]) != 0.F);
            masks[row] = __ballot_sync(0xffffffffU, found);
            count += __popc(masks[row]);
        }
    }
};

__device__ int64_t firstOfWarp() {
    return int64_t{blockIdx.x} * kPerBlock + threadIdx.x / kWarpSize * int64_t{kRows} * kWarpSize;
}

template <class T>
__global__ void countNonZero(T const* __restrict__ x, int64_t elements, int64_t* __restrict__ counts) {
    __shared__ int warps[kWarps];
    WarpRows const rows(x, firstOfWarp(), elements);
    if (threadIdx.x % kWarpSize == 0) warps[threadIdx.x / kWarpSize] = rows.count;
    __syncthreads();
    if (threadIdx.x != 0) return;
    int64_t sum = 0;
    for (int const count : warps) sum += count;
    counts[blockIdx.x] = sum;
}

/// The extents of X; division by multiplication where its elements are counted in 32 bits.
struct Extents {
    int rank = 0;
    bool isWide = false;
    std::array<Divider, Dims::kMaxRank> narrow;
    std::array<int64_t, Dims::kMaxRank> wide{};

    template <class Index> __device__ void writeCoordinates(int64_t place, int64_t count, Index* y) const {
        for (int axis = rank - 1; axis >= 0; --axis) {
            auto const at = static_cast<size_t>(axis);
            int64_t const rest = isWide ? place / wide[at] : narrow[at].divide(static_cast<uint32_t>(place));
            y[axis * count] = static_cast<Index>(place - rest * wide[at]);
            place = rest;
        }
    }
};

template <class T, class Index>
__global__ void writeNonZero(T const* __restrict__ x, int64_t elements, int64_t const* __restrict__ starts,
                             Index* __restrict__ y, __grid_constant__ Extents const extents) {
    __shared__ int warps[kWarps];
    int const lane = threadIdx.x % kWarpSize;
    int const warp = threadIdx.x / kWarpSize;
    int64_t const first = firstOfWarp();
    WarpRows const rows(x, first, elements);
    if (lane == 0) warps[warp] = rows.count;
    __syncthreads();
    int64_t const count = starts[gridDim.x];
    int64_t to = starts[blockIdx.x];
    for (int other = 0; other < warp; ++other) to += warps[other];
#pragma unroll
    for (int row = 0; row < kRows; ++row) {
        unsigned const mask = rows.masks[row];
        unsigned const before = mask & ((1U << lane) - 1U);
        if ((mask >> lane & 1U) != 0)
            extents.writeCoordinates(first + row * kWarpSize + lane, count, y + to + __popc(before));
        to += __popc(mask);
    }
}

class FindingNonZero final : public Executable {
public:
    explicit FindingNonZero(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), wide_(args.variant.outputs[0].type == DataType::Int64),
          elements_(args.inputs[0].volume()), blocks_((elements_ + kPerBlock - 1) / kPerBlock) {
        expectCountable(args.variant.outputs[0].type, elements_, "elements");
        if (blocks_ > INT32_MAX)
            fail(ErrorCode::Unsupported, "searches ", elements_, " elements; expected at most 2^43");
        Dims const& x = args.inputs[0];
        extents_.rank = x.rank();
        extents_.isWide = elements_ >= int64_t{1} << 31;
        for (int axis = 0; axis < x.rank() && elements_ != 0; ++axis) {
            auto const at = static_cast<size_t>(axis);
            extents_.wide[at] = x[axis];
            if (!extents_.isWide) extents_.narrow[at] = Divider(static_cast<uint32_t>(x[axis]));
        }
    }

    size_t workspaceBytes() const override { return static_cast<size_t>(blocks_ + 1) * sizeof(int64_t); }

    void run(Pointers const& pointers) override {
        dispatchElement(type_,
                        [&]<class T>(TypeTag<T>) { wide_ ? find<T, int64_t>(pointers) : find<T, int32_t>(pointers); });
        checkLaunch("non-zero elements");
    }

private:
    template <class T, class Index> void find(Pointers const& pointers) const {
        cudaStream_t const stream = streamOf(pointers.stream);
        auto const* x = static_cast<T const*>(pointers.inputs[0]);
        auto* starts = static_cast<int64_t*>(pointers.workspace);
        auto const blocks = static_cast<unsigned>(blocks_);
        if (blocks != 0) countNonZero<<<blocks, kThreads, 0, stream>>>(x, elements_, starts);
        sumUp(starts, blocks_, static_cast<Index*>(pointers.outputs[1]), stream);
        if (blocks == 0) return;
        auto* y = static_cast<Index*>(pointers.outputs[0]);
        writeNonZero<<<blocks, kThreads, 0, stream>>>(x, elements_, starts, y, extents_);
    }

    DataType type_;
    bool wide_;
    int64_t elements_;
    int64_t blocks_;
    Extents extents_;
};

class CudaNonZero final : public Kernel {
public:
    std::string_view name() const override { return "cuda_non_zero"; }
    bool takesEmpty() const override { return true; }

    // any type, linear
    Offer offer(KernelQuery const& query) const override {
        return offerMoving(query,
                           {.reads = {2}, .writes = 1, .ns = 3 * kernelCost(0), .elements = query.node.input(0)});
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<FindingNonZero>(args);
    }
};

constexpr CudaNonZero kNonZero;
constexpr Kernel const* kKernels[]{&kNonZero};

} // namespace

KernelList nonZeroKernels() { return {NonZero::kKind, kKernels}; }

} // namespace tenon::cuda
