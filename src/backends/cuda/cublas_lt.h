// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "steps/epilogue.h"

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <memory>
#include <optional>

namespace tenon::cuda {

/// A batch of matrices [batch, rows, columns] in device memory. All in elements.
struct LtMatrix {
    int64_t rows = 0;        // as stored, row-major
    int64_t columns = 0;     // contiguous
    int64_t pitch = 0;       // between rows
    int64_t batchPitch = 0;  // between matrices; 0: the same one for the whole batch
    bool transposed = false; // the product transposes it
};

enum class LtActivation : uint8_t { None, Relu, GeluTanh };

/// Y = activation(alpha * A B + addend + bias), sums in float32. All tensors have one type; for int8, Y is the int32
/// sums alone.
struct LtProduct {
    DataType type = DataType::Float32; // or Float16, BFloat16, Int8
    bool tf32 = false;                 // float32 factors are rounded to 10 bits of mantissa
    int64_t batch = 1;
    LtMatrix a, b;
    LtMatrix y;
    float alpha = 1;
    bool hasAddend = false; // with the layout of Y
    bool hasBias = false;   // one value per column of Y
    LtActivation activation = LtActivation::None;
};

struct LtPointers {
    void const* a = nullptr;
    void const* b = nullptr;
    void const* addend = nullptr;
    void const* bias = nullptr;
    void* y = nullptr;
    void* workspace = nullptr;
};

/// A product for which cuBLASLt's heuristics have chosen a kernel. Not thread-safe.
class LtMatmul {
public:
    /// The number of kernels that are worth timing.
    static constexpr int kChoices = 8;

    /// Uses the kernel of this index in the order of the heuristics, from 0 to kChoices - 1, or the first if there are
    /// fewer. nullopt if cuBLASLt has none. `alignment`: of all pointers, in bytes.
    static std::optional<LtMatmul> make(LtProduct const& product, uint32_t alignment = 16, int choice = 0);

    size_t workspaceBytes() const { return workspaceBytes_; }
    void launch(LtPointers const& at, cudaStream_t stream);

private:
    template <class T> using Owned = std::unique_ptr<T, cublasStatus_t (*)(T*)>;

    LtMatmul(LtProduct const& product);
    bool choose(uint32_t alignment, int choice);

    cublasLtHandle_t handle_;
    Owned<cublasLtMatmulDescOpaque_t> operation_;
    Owned<cublasLtMatrixLayoutOpaque_t> a_, b_, y_;
    cublasLtMatmulAlgo_t algorithm_{};
    size_t workspaceBytes_ = 0;
    float alpha_;
    float beta_;
    bool hasBias_;
    bool sumsIntegers_;
};

/// The steps that a cuBLASLt product does itself: the first `steps` of an epilogue.
struct LtEpilogue {
    size_t steps = 0;
    float alpha = 1;
    int bias = -1; // an input of the node; -1: none
    int addend = -1;
    LtActivation activation = LtActivation::None;
};

/// For a product whose Y, its matrices being contiguous, is the result of the node.
LtEpilogue ltEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps, LtProduct const& product);

} // namespace tenon::cuda
