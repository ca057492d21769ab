// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matmul_plan_cuda.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// Y [stack,m,n], sums that wrap around; one thread per element.
template <class T>
__global__ void multiplyIntegers(T const* a, T const* b, T* y, int64_t count, MatrixProduct const p,
                                 Indexer<2> const stack) {
    using Sum = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>; // unsigned wraps around
    forEachElement(count, [&](int64_t i) {
        int64_t at[2];
        stack.offsets(static_cast<uint32_t>(i / (p.m * p.n)), at);
        T const* const row = a + at[0] + i / p.n % p.m * p.aRow;
        T const* const column = b + at[1] + i % p.n * p.bColumn;
        Sum sum = 0;
        for (int64_t k = 0; k < p.k; ++k)
            sum += static_cast<Sum>(row[k * p.aColumn]) * static_cast<Sum>(column[k * p.bRow]);
        y[i] = static_cast<T>(sum);
    });
}

class RunIntegers final : public Executable {
public:
    explicit RunIntegers(PrepareArgs const& args)
        : product_(productOf(*as<MatrixMultiply>(*args.node.layer), args.inputs[0], args.inputs[1])),
          stack_(product_.batch, {product_.aBatch, product_.bBatch}), count_(args.outputs[0].volume()),
          type_(args.variant.outputs[0].type) {}

    void run(Pointers const& pointers) override {
        if (count_ == 0) return;
        dispatchElement(type_, [&]<class T>(TypeTag<T>) {
            if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>)
                multiplyIntegers<<<blocksFor(count_), kThreads, 0, streamOf(pointers.stream)>>>(
                    static_cast<T const*>(pointers.inputs[0]), static_cast<T const*>(pointers.inputs[1]),
                    static_cast<T*>(pointers.outputs[0]), count_, product_, stack_);
        });
        checkLaunch("matrix multiply of integers");
    }

private:
    MatrixProduct product_;
    Indexer<2> stack_;
    int64_t count_;
    DataType type_;
};

} // namespace

std::unique_ptr<Executable> makeIntegerMatmul(PrepareArgs const& args) { return std::make_unique<RunIntegers>(args); }

} // namespace tenon::cuda
