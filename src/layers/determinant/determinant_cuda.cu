// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/determinant/determinant.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// The position of a column's largest number.
struct Pivot {
    float size;
    int row;
};

__device__ Pivot greaterOf(Pivot const& a, Pivot const& b) {
    bool const second = b.size > a.size || (b.size == a.size && b.row < a.row);
    return second ? b : a;
}

/// X [count,M,M] → Y [count], by Gaussian elimination on a copy in the workspace. A block processes one matrix: all of
/// its threads search the pivot, then each updates elements of the rows below it.
template <class T>
__global__ void eliminate(T const* __restrict__ x, float* __restrict__ work, T* __restrict__ y, int rows) {
    __shared__ Pivot pivots[kThreads];
    int64_t const size = int64_t{rows} * rows;
    float* const a = work + blockIdx.x * size;
    int const thread = static_cast<int>(threadIdx.x);
    for (int64_t i = thread; i < size; i += kThreads) a[i] = toFloat(x[blockIdx.x * size + i]);
    __syncthreads();
    float determinant = 1;
    for (int k = 0; k < rows; ++k) {
        Pivot mine{-1, rows};
        for (int i = k + thread; i < rows; i += kThreads) mine = greaterOf(mine, {fabsf(a[int64_t{i} * rows + k]), i});
        pivots[thread] = mine;
        for (int step = kThreads / 2; step > 0; step /= 2) {
            __syncthreads();
            if (thread < step) pivots[thread] = greaterOf(pivots[thread], pivots[thread + step]);
        }
        __syncthreads();
        int const pivot = pivots[0].row < rows ? pivots[0].row : k; // a column of NaNs has none
        float* const top = a + int64_t{k} * rows;
        for (int j = thread; pivot != k && j < rows; j += kThreads) {
            float const swapped = top[j];
            top[j] = a[int64_t{pivot} * rows + j];
            a[int64_t{pivot} * rows + j] = swapped;
        }
        __syncthreads();
        float const divisor = top[k];
        determinant *= pivot != k ? -divisor : divisor;
        if (divisor == 0) break; // uniform across threads
        int const width = rows - k - 1;
        for (int64_t i = thread; i < int64_t{width} * width; i += kThreads) {
            float* const row = a + (k + 1 + i / width) * rows;
            int64_t const column = k + 1 + i % width;
            row[column] -= row[k] / divisor * top[column]; // column k is not updated: it is not read again
        }
        __syncthreads();
    }
    if (thread == 0) y[blockIdx.x] = convertTo<T>(determinant);
}

constexpr int64_t kMostRows = 1 << 15;

class RunDeterminant final : public Executable {
public:
    explicit RunDeterminant(PrepareArgs const& args)
        : type_(args.variant.inputs[0].type), count_(args.outputs[0].volume()),
          rows_(counted(args.inputs[0][args.inputs[0].rank() - 1], "rows", kMostRows)) {
        counted(count_, "matrices");
    }

    size_t workspaceBytes() const override { return static_cast<size_t>(count_ * rows_ * rows_) * sizeof(float); }

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            eliminate<<<static_cast<unsigned>(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[0]), static_cast<float*>(pointers.workspace),
                static_cast<T*>(pointers.outputs[0]), static_cast<int>(rows_));
        });
        checkLaunch("determinant");
    }

private:
    DataType type_;
    int64_t count_;
    int64_t rows_;
};

class CudaDeterminant final : public Kernel {
public:
    std::string_view name() const override { return "cuda_determinant"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        int64_t const rows = query.inputs[0][query.inputs[0].rank() - 1];
        if (rows > kMostRows || query.outputs[0].volume() > INT32_MAX)
            return Offer::refuse(text("supports up to 2^31 matrices of ", kMostRows, " rows"));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            auto const bytes = static_cast<double>(bytesOf(query.inputs[0], label));
            offer.variants.push_back(
                {.inputs = {label}, .outputs = {label}, .cost = kernelCost(bytes * static_cast<double>(rows))});
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunDeterminant>(args);
    }
};

constexpr CudaDeterminant kDeterminant;
constexpr Kernel const* kKernels[]{&kDeterminant};

} // namespace

KernelList determinantKernels() { return {Determinant::kKind, kKernels}; }

} // namespace tenon::cuda
