// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/divider.h"
#include "backends/kernel.h"
#include "layers/attention/attention.h"

#ifdef __CUDACC__
#include "backends/cuda/elements.cuh"
#endif

namespace tenon::cuda {

/// A tensor [N,H,S,D] in device memory; strides in elements.
struct StridedRows {
    int64_t offset = 0;
    int64_t batch = 0, head = 0, row = 0, element = 0;
    bool words = false; // rows can be read and written 16 bytes at a time

    StridedRows() = default;
    StridedRows(AttentionTensor const& tensor, DataType type);

    TENON_ON_BOTH int64_t start(int atBatch, int atHead) const { return offset + atBatch * batch + atHead * head; }
};

/// What the kernels are launched with.
struct AttentionArguments {
    void const* queryData = nullptr;
    void const* keyData = nullptr;
    void const* valueData = nullptr;
    void const* maskData = nullptr;
    void* outputData = nullptr;
    StridedRows query, key, value, output;
    StridedRows mask; // [N,H,S,T]
    bool hasMask = false;
    bool maskIsBool = false;
    bool softmax = true;
    bool causal = false;
    int batch = 0, heads = 0, queries = 0, keys = 0, size = 0, valueSize = 0;
    int sharing = 1;     // heads of the query for each of key and value
    float scale = 1;     // of products
    float maskScale = 1; // of the mask; both such that 2^score takes the place of exp(score)

    explicit AttentionArguments(PrepareArgs const& args);
    AttentionArguments bound(Pointers const& pointers) const;
    /// Blocks of `rows` queries of one head each.
    unsigned blocks(int rows) const {
        return static_cast<unsigned>(int64_t{batch} * heads * ((queries + rows - 1) / rows));
    }

#ifdef __CUDACC__
    /// What a score is that is left out.
    __device__ float leftOut() const { return softmax ? -INFINITY : 0; }

    /// The score of a query and a key, whose product this is. `row` is where the query's row of the mask starts.
    template <class T> __device__ float score(float product, int64_t row, int atQuery, int atKey) const {
        if (atKey >= keys || (causal && atKey > atQuery)) return leftOut();
        float const scaled = product * scale;
        if (!hasMask) return scaled;
        int64_t const at = row + atKey * mask.element;
        if (maskIsBool) return static_cast<bool const*>(maskData)[at] ? scaled : leftOut();
        return scaled + toFloat(static_cast<T const*>(maskData)[at]) * maskScale;
    }
#endif
};

/// With products on tensor cores, for 16-bit numbers and heads of up to kMostFlashSize elements.
inline constexpr int64_t kMostFlashSize = 128;
std::unique_ptr<Executable> makeFlashAttention(PrepareArgs const& args);
/// In float32, for heads of any size.
std::unique_ptr<Executable> makeTiledAttention(PrepareArgs const& args);

} // namespace tenon::cuda
