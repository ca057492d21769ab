// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matmul_plan_cuda.h"

#include "backends/cuda/epilogue.cuh"
#include "backends/cuda/launch.h"

#include <numeric>

namespace tenon::cuda {
namespace {

/// Y [few,many] = X [few,K] Wᵀ, W [many,K]; K is contiguous, and is read by words.
struct FewRows {
    int64_t many;
    int few;
    int words; // of K
    int64_t xPitch, wPitch;
    int64_t yFew, yMany; // strides
    int64_t xBatch, wBatch, yBatch;
    bool xIsB; // the matrix of few rows is B, transposed
};

/// A warp processes one row of W for all rows of X. The grid's second extent is the batch.
template <class T, int few>
__global__ void dotRows(T const* __restrict__ x, T const* __restrict__ w, T* __restrict__ y, FewRows const f,
                        __grid_constant__ EpilogueProgram const epilogue) {
    using Word = Pack<T, kWord / sizeof(T)>;
    int64_t const row = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warpSize;
    if (row >= f.many) return;
    int const lane = static_cast<int>(threadIdx.x) % warpSize;
    auto const* const theseX = reinterpret_cast<Word const*>(x + blockIdx.y * f.xBatch);
    auto const* const thisW = reinterpret_cast<Word const*>(w + blockIdx.y * f.wBatch + row * f.wPitch);
    int64_t const xPitch = f.xPitch / (kWord / int64_t{sizeof(T)});
    float sums[few] = {};
#pragma unroll 4
    for (int k = lane; k < f.words; k += warpSize) {
        Word const mine = thisW[k];
#pragma unroll
        for (int i = 0; i < few; ++i) {
            Word const other = theseX[min(i, f.few - 1) * xPitch + k];
#pragma unroll
            for (int j = 0; j < kWord / int{sizeof(T)}; ++j) sums[i] += toFloat(mine.at[j]) * toFloat(other.at[j]);
        }
    }
#pragma unroll
    for (int i = 0; i < few; ++i) {
        for (int step = warpSize / 2; step > 0; step /= 2) sums[i] += __shfl_xor_sync(~0U, sums[i], step);
        int64_t const at = blockIdx.y * f.yBatch + i * f.yFew + row * f.yMany;
        if (lane != i || i >= f.few) continue;
        float result[1]{sums[i]};
        applyEpilogue<T>(epilogue, at, result);
        y[at] = convertTo<T>(result[0]);
    }
}

/// nullopt if there are many rows and columns, or K is not contiguous in whole words.
std::optional<FewRows> fewRowsOf(Stack const& stack, DataType type) {
    constexpr int64_t kFew = 4;
    constexpr int64_t kMostStacked = 65535;
    auto const bytes = static_cast<int64_t>(bytesOf(type, 1));
    MatrixProduct const& p = stack.matrix;
    if (stack.axes.size() > 1 || stack.count() > kMostStacked || p.aColumn != 1 || p.bRow != 1) return std::nullopt;
    Stack::Axis const axis = stack.axes.empty() ? Stack::Axis{1, 0, 0, 0} : stack.axes[0];
    FewRows rows{};
    if (p.m <= kFew)
        rows = {p.n, static_cast<int>(p.m), 0, p.aRow, p.bColumn, p.n, 1, axis.a, axis.b, axis.y, false};
    else if (p.n <= kFew)
        rows = {p.m, static_cast<int>(p.n), 0, p.bColumn, p.aRow, 1, p.n, axis.b, axis.a, axis.y, true};
    else
        return std::nullopt;
    if (rows.few == 1) rows.xPitch = 0;
    int64_t const common = std::gcd(std::gcd(p.k, rows.xPitch), std::gcd(rows.wPitch, std::gcd(axis.a, axis.b)));
    // a long sum for few results is faster if it is split, as cuBLASLt does
    bool const isLong = p.k * bytes > int64_t{16} << 10 && rows.many * stack.count() < 512;
    if (common * bytes % kWord != 0 || isLong) return std::nullopt;
    rows.words = static_cast<int>(p.k * bytes / kWord);
    return rows;
}

class RunFewRows final : public Executable {
public:
    RunFewRows(FewRows const& rows, int64_t stacked, PrepareArgs const& args)
        : rows_(rows), stacked_(stacked), epilogue_(args, as<MatrixMultiply>(*args.node.layer)->epilogue, 0),
          operands_(args), type_(args.variant.outputs[0].type) {}

    void run(Pointers const& pointers) override {
        void const* x = operands_.a(pointers);
        void const* w = operands_.b(pointers);
        if (rows_.xIsB) std::swap(x, w);
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            auto* const kernel = rows_.few == 1 ? dotRows<T, 1> : (rows_.few == 2 ? dotRows<T, 2> : dotRows<T, 4>);
            constexpr int kWarp = 32;
            dim3 const grid(blocksFor(rows_.many * kWarp), static_cast<unsigned>(stacked_));
            kernel<<<grid, kThreads, 0, streamOf(pointers.stream)>>>(static_cast<T const*>(x), static_cast<T const*>(w),
                                                                     static_cast<T*>(pointers.outputs[0]), rows_,
                                                                     epilogue_.program(pointers));
        });
        checkLaunch("matrix multiply of few rows");
    }

private:
    FewRows rows_;
    int64_t stacked_;
    EpilogueRun epilogue_;
    Operands operands_;
    DataType type_;
};

} // namespace

std::unique_ptr<Executable> makeFewRows(Stack const& stack, PrepareArgs const& args) {
    auto const rows = fewRowsOf(stack, args.variant.outputs[0].type);
    return rows ? std::make_unique<RunFewRows>(*rows, stack.count(), args) : nullptr;
}

} // namespace tenon::cuda
