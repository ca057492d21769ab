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

/// A stack of matrices [batch, rows, columns] in device memory. All in elements.
struct LtMatrix {
    int64_t rows = 0;        // as it lies, row by row
    int64_t columns = 0;     // that lie together
    int64_t pitch = 0;       // from one row to the next
    int64_t batchPitch = 0;  // from one matrix to the next; 0: the same one for the whole stack
    bool transposed = false; // the product takes it with rows and columns exchanged
};

enum class LtActivation : uint8_t { None, Relu, GeluTanh };

/// Y = activation(alpha * A B + addend + bias), sums in float32. All tensors of one type; of int8, Y is the sums in
/// int32 and nothing else.
struct LtProduct {
    DataType type = DataType::Float32; // or Float16, BFloat16, Int8
    bool tf32 = false;                 // factors of float32 products are rounded to 10 bits of mantissa
    int64_t batch = 1;
    LtMatrix a, b;
    LtMatrix y;
    float alpha = 1;
    bool hasAddend = false; // laid out as Y
    bool hasBias = false;   // one number a column of Y
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

/// A product that a kernel of cuBLASLt's was chosen for, by its heuristics. For one thread at a time.
class LtMatmul {
public:
    /// How many kernels are worth a try.
    static constexpr int kChoices = 8;

    /// With the kernel of this number in the order of the heuristics, from 0 to kChoices - 1; where there are not so
    /// many, with the first. Nothing where cuBLASLt has none. `alignment`: of all pointers, in bytes.
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

/// The steps that a product of cuBLASLt's does itself, the first `steps` of an epilogue.
struct LtEpilogue {
    size_t steps = 0;
    float alpha = 1;
    int bias = -1; // an input of the node; -1: there is none
    int addend = -1;
    LtActivation activation = LtActivation::None;
};

/// For a product whose Y, matrix behind matrix, is the result of the node.
LtEpilogue ltEpilogue(PrepareArgs const& args, std::span<EpilogueStep const> steps, LtProduct const& product);

} // namespace tenon::cuda
