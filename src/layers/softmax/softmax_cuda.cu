// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/softmax/softmax.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// The maximum seen and the sum of exp(x - maximum), which can be combined in any order: M. Milakov and N. Gimelshein,
/// "Online normalizer calculation for softmax" (2018).
struct Running {
    float greatest = -INFINITY;
    float sum = 0;

    __device__ void add(float x) { *this = joined(*this, {x, 1}); }

    __device__ static Running joined(Running const& a, Running const& b) {
        if (a.greatest == -INFINITY && b.greatest == -INFINITY) return {-INFINITY, a.sum + b.sum};
        float const greatest = fmaxf(a.greatest, b.greatest); // the maximum ignores NaN; this sum then becomes NaN
        return {greatest, a.sum * __expf(a.greatest - greatest) + b.sum * __expf(b.greatest - greatest)};
    }
};

__device__ Running joinAcross(Running mine, int lanes) {
    for (int step = lanes / 2; step > 0; step /= 2)
        mine = Running::joined(mine, {__shfl_xor_sync(~0U, mine.greatest, step), __shfl_xor_sync(~0U, mine.sum, step)});
    return mine;
}

__device__ float finished(float x, Running const& of, bool log) {
    return log ? x - of.greatest - logf(of.sum) : expf(x - of.greatest) / of.sum;
}

/// X [outer, length, inner] → Y [the same], along `length`. A warp processes one row.
template <class T> __global__ void softmaxRows(T const* x, T* y, int64_t rows, int length, int inner, bool log) {
    int64_t const row = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warpSize;
    if (row >= rows) return;
    int64_t const base = row / inner * inner * length + row % inner;
    int const lane = static_cast<int>(threadIdx.x) % warpSize;
    Running mine;
    for (int i = lane; i < length; i += warpSize) mine.add(toFloat(x[base + int64_t{i} * inner]));
    Running const all = joinAcross(mine, warpSize);
    for (int i = lane; i < length; i += warpSize) {
        int64_t const at = base + int64_t{i} * inner;
        y[at] = convertTo<T>(finished(toFloat(x[at]), all, log));
    }
}

/// The same by a block, for long rows.
template <class T> __global__ void softmaxLongRows(T const* x, T* y, int length, int inner, bool log) {
    constexpr int kWarps = kThreads / 32;
    __shared__ Running parts[kWarps];
    int64_t const row = blockIdx.x;
    int64_t const base = row / inner * inner * length + row % inner;
    int const thread = static_cast<int>(threadIdx.x);
    Running mine;
    for (int i = thread; i < length; i += kThreads) mine.add(toFloat(x[base + int64_t{i} * inner]));
    Running const ofWarp = joinAcross(mine, warpSize);
    if (thread % warpSize == 0) parts[thread / warpSize] = ofWarp;
    __syncthreads();
    Running all = parts[0];
    for (int i = 1; i < kWarps; ++i) all = Running::joined(all, parts[i]);
    for (int i = thread; i < length; i += kThreads) {
        int64_t const at = base + int64_t{i} * inner;
        y[at] = convertTo<T>(finished(toFloat(x[at]), all, log));
    }
}

/// X [rows, length] → Y [the same], of at most `each` elements per lane, which stay in registers between reading and
/// writing. A warp processes one row.
template <class T, int each> __global__ void softmaxShortRows(T const* x, T* y, int64_t rows, int length, bool log) {
    int64_t const row = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warpSize;
    if (row >= rows) return;
    int const lane = static_cast<int>(threadIdx.x) % warpSize;
    float mine[each];
    Running all;
#pragma unroll
    for (int i = 0; i < each; ++i) {
        int const at = lane + i * warpSize;
        mine[i] = at < length ? toFloat(x[row * length + at]) : -INFINITY;
        all.greatest = fmaxf(all.greatest, mine[i]);
    }
    for (int step = warpSize / 2; step > 0; step /= 2)
        all.greatest = fmaxf(all.greatest, __shfl_xor_sync(~0U, all.greatest, step));
#pragma unroll
    for (int i = 0; i < each; ++i) all.sum += expf(mine[i] - all.greatest);
    for (int step = warpSize / 2; step > 0; step /= 2) all.sum += __shfl_xor_sync(~0U, all.sum, step);
#pragma unroll
    for (int i = 0; i < each; ++i) {
        int const at = lane + i * warpSize;
        if (at < length) y[row * length + at] = convertTo<T>(finished(mine[i], all, log));
    }
}

/// The same if elements along `inner` are contiguous: a thread processes one row, so that reads of a warp are
/// coalesced.
template <class T> __global__ void softmaxColumns(T const* x, T* y, int64_t rows, int length, int inner, bool log) {
    forEachElement(rows, [&](int64_t row) {
        int64_t const base = row / inner * inner * length + row % inner;
        Running all;
        for (int i = 0; i < length; ++i) all.add(toFloat(x[base + int64_t{i} * inner]));
        for (int i = 0; i < length; ++i) {
            int64_t const at = base + int64_t{i} * inner;
            y[at] = convertTo<T>(finished(toFloat(x[at]), all, log));
        }
    });
}

class RunSoftmax final : public Executable {
public:
    RunSoftmax(Softmax const& softmax, Dims const& dims, DataType type) : type_(type), log_(softmax.log) {
        int const axis = resolveAxis(softmax.axis, dims.rank());
        length_ = countedExtent(dims[axis], "elements along the axis");
        inner_ = countedExtent(dims.volume(axis + 1, dims.rank()), "elements after the axis");
        rows_ = countedExtent(dims.volume(0, axis) * inner_, "rows");
    }

    void run(Pointers const& pointers) override {
        if (rows_ == 0 || length_ == 0) return;
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            auto const* x = static_cast<T const*>(pointers.inputs[0]);
            auto* y = static_cast<T*>(pointers.outputs[0]);
            cudaStream_t const stream = streamOf(pointers.stream);
            unsigned const warps = blocksFor(rows_ * kWarp);
            if (isByColumns())
                softmaxColumns<<<blocksFor(rows_), kThreads, 0, stream>>>(x, y, rows_, length_, inner_, log_);
            else if (length_ > kMostInRegisters * kWarp)
                softmaxLongRows<<<static_cast<unsigned>(rows_), kThreads, 0, stream>>>(x, y, length_, inner_, log_);
            else if (inner_ != 1)
                softmaxRows<<<warps, kThreads, 0, stream>>>(x, y, rows_, length_, inner_, log_);
            else if (length_ <= 4 * kWarp)
                softmaxShortRows<T, 4><<<warps, kThreads, 0, stream>>>(x, y, rows_, length_, log_);
            else if (length_ <= 12 * kWarp)
                softmaxShortRows<T, 12><<<warps, kThreads, 0, stream>>>(x, y, rows_, length_, log_);
            else
                softmaxShortRows<T, kMostInRegisters><<<warps, kThreads, 0, stream>>>(x, y, rows_, length_, log_);
        });
        checkLaunch("softmax");
    }

private:
    static constexpr int kWarp = 32;
    static constexpr int kMostInRegisters = 32; // elements per lane

    /// Whether adjacent elements share memory accesses, and there are enough of them to fill the device.
    bool isByColumns() const {
        constexpr int kSideBySide = 8;
        constexpr int64_t kEnough = 16384;
        constexpr int kShort = 64;
        return inner_ >= kSideBySide && (rows_ >= kEnough || length_ <= kShort);
    }

    DataType type_;
    bool log_;
    int64_t rows_;
    int length_;
    int inner_;
};

class CudaSoftmax final : public Kernel {
public:
    std::string_view name() const override { return "cuda_softmax"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            auto const bytes = static_cast<double>(2 * bytesOf(query.inputs[0], label));
            offer.variants.push_back({.inputs = {label}, .outputs = {label}, .cost = kernelCost(bytes)});
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        auto const& softmax = *as<Softmax>(*args.node.layer);
        return std::make_unique<RunSoftmax>(softmax, args.inputs[0], args.variant.inputs[0].type);
    }
};

constexpr CudaSoftmax kSoftmax;
constexpr Kernel const* kKernels[]{&kSoftmax};

} // namespace

KernelList softmaxKernels() { return {Softmax::kKind, kKernels}; }

} // namespace tenon::cuda
