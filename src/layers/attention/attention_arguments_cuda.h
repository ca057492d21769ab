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
    bool words = false; // rows are aligned for accesses of 16 bytes

    StridedRows() = default;
    StridedRows(AttentionTensor const& tensor, DataType type);

    TENON_ON_BOTH int64_t start(int atBatch, int atHead, int atRow = 0) const {
        return offset + atBatch * batch + atHead * head + atRow * row;
    }
};

inline constexpr float kLowest = -3.402823466e+38F; // the lowest finite number

/// AttentionSequence, in device code.
struct SequenceRange {
    int firstQuery, queries;
    int firstKey, keys;
    int lead;  // query s sees keys up to s + lead
    int trail; // and none before s + trail

    /// The number of keys that one of the first `count` queries sees.
    TENON_ON_BOTH int seenBy(int count) const {
        int const seen = count + lead;
        return seen < 0 ? 0 : (seen < keys ? seen : keys);
    }
    /// The first key that this query and those after it see.
    TENON_ON_BOTH int firstSeenBy(int query) const {
        int const first = query + trail;
        return first < 0 ? 0 : (first < keys ? first : keys);
    }
};

/// The launch arguments of the kernels.
struct AttentionArguments {
    void const* queryData = nullptr;
    void const* keyData = nullptr;
    void const* valueData = nullptr;
    void const* maskData = nullptr;
    int const* queryLengths = nullptr; // of packed queries
    int const* keyLengths = nullptr;   // null: all have the length of the tensor
    void* outputData = nullptr;
    void* productsData = nullptr; // [N,H,S,T]; null: not requested
    StridedRows query, key, value, output;
    StridedRows mask; // [N,H,S,T]
    bool hasMask = false;
    bool maskIsBool = false;
    bool softmax = true;
    Attention::Causal causal = Attention::Causal::None;
    Attention::Products products = Attention::Products::None;
    bool packedQueries = false, packedKeys = false;
    int past = 0, before = -1, after = 0; // as in AttentionProblem
    int keysInMask = 0;
    int batch = 0, heads = 0, queries = 0, keys = 0, size = 0, valueSize = 0;
    size_t inputs = 0;     // of the node
    int sharing = 1;       // query heads per key and value head
    float scale = 1;       // of products
    float maskedScore = 0; // for false in a boolean mask, times maskScale
    float ofUnseen = 0;    // factor of results of a query that sees no key: 0 or NaN
    float maskScale = 1;   // of the mask; both are scaled so that 2^score is exp(score)
    float softcap = 0;     // likewise; 0: none
    float bend = 0;        // 2^(bend · product) = exp(2 · scale · product / softcap)

    explicit AttentionArguments(PrepareArgs const& args);
    AttentionArguments bound(Pointers const& pointers) const;
    /// Whether scores need more than a scale, a mask and an end: separate kernels are compiled for that.
    bool isExtended() const { return softcap != 0 || (causal != Attention::Causal::None && before >= 0); }
    /// Blocks of `rows` queries of one head each.
    unsigned blocks(int rows) const {
        return static_cast<unsigned>(int64_t{batch} * heads * ((queries + rows - 1) / rows));
    }

#ifdef __CUDACC__
    /// The score of a masked key.
    __device__ float leftOut() const { return softmax ? -INFINITY : 0; }

    /// Like AttentionProblem::sequence().
    __device__ SequenceRange sequence(int index) const {
        auto const within = [](int const* lengths, int i, int least, int most) {
            return min(max(lengths[i], least), most);
        };
        SequenceRange range{0, queries, 0, keys, 0, 0};
        if (packedQueries) {
            range.firstQuery = within(queryLengths, index, 0, queries);
            range.queries = within(queryLengths, index + 1, range.firstQuery, queries) - range.firstQuery;
        }
        if (packedKeys) {
            range.firstKey = within(keyLengths, index, 0, keys);
            range.keys = within(keyLengths, index + 1, range.firstKey, keys) - range.firstKey;
        } else if (keyLengths != nullptr) {
            range.keys = within(keyLengths, index, 0, keys);
        }
        int const first = causal == Attention::Causal::LowerRight ? range.keys - range.queries : past;
        bool const isBounded = causal != Attention::Causal::None;
        range.lead = isBounded && after >= 0 ? first + after : range.keys;
        range.trail = isBounded && before >= 0 ? first - before : -range.queries;
        range.keys = min(range.keys, keysInMask);
        return range;
    }

    /// softcap · tanh(scale · product / softcap)
    __device__ float capped(float product) const {
        return softcap - __fdividef(2 * softcap, 1 + exp2f(bend * product));
    }

    /// The score of a query and a key from their product, before the mask.
    template <bool extended> __device__ float scaled(float product) const {
        if constexpr (extended) return softcap == 0 ? product * scale : capped(product);
        return product * scale;
    }

    /// The same with the mask, for a key before `seen`. `row` is the start of the query's row of the mask.
    template <class T, bool extended> __device__ float score(float product, int64_t row, int seen, int atKey) const {
        if (atKey >= seen) return leftOut();
        float const alone = scaled<extended>(product);
        if (!hasMask) return alone;
        int64_t const at = row + atKey * mask.element;
        if (maskIsBool) return static_cast<bool const*>(maskData)[at] ? alone : maskedScore;
        float const addend = toFloat(static_cast<T const*>(maskData)[at]);
        float const inPowersOfTwo = addend * maskScale; // the lowest finite number must not become -infinity
        return alone + (addend > -INFINITY ? fmaxf(inPowersOfTwo, kLowest) : inPowersOfTwo);
    }

    /// The factor for the results of a query with this sum of weights.
    __device__ float normalizer(float sum) const { return softmax ? (sum == 0 ? ofUnseen : 1 / sum) : 1; }
#endif
};

/// With products on tensor cores, for 16-bit types and heads of up to kMostFlashSize elements.
inline constexpr int64_t kMostFlashSize = 128;
std::unique_ptr<Executable> makeFlashAttention(PrepareArgs const& args);
/// In float32, for heads of any size.
std::unique_ptr<Executable> makeTiledAttention(PrepareArgs const& args);
/// Runs `inner`, and computes the second output, if the layer has one.
std::unique_ptr<Executable> withProducts(PrepareArgs const& args, std::unique_ptr<Executable> inner);

} // namespace tenon::cuda
