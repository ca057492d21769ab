// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/attention/attention_arguments_cuda.h"

#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

constexpr int kTile = 64;  // queries of a block, and keys that it processes at a time
constexpr int kDepth = 16; // elements of a head, or values, that are in shared memory at a time
constexpr int kSide = 16;  // threads are kSide x kSide, each with 4 queries and 4 keys
constexpr int kPitch = kTile + 4;

using Quad = Pack<float, 4>;

/// to[depth][row] = elements `firstElement`… of rows `firstRow`… of a tensor [rows, size]; zero beyond them.
template <class T>
__device__ void fetchTurned(float (&to)[kDepth][kPitch], T const* from, StridedRows const& strides, int2 first,
                            int2 count) {
    for (int i = static_cast<int>(threadIdx.x); i < kDepth * kTile; i += kSide * kSide) {
        bool const along = strides.element == 1; // so that adjacent threads read adjacent elements
        int const element = along ? i % kDepth : i / kTile;
        int const row = along ? i / kDepth : i % kTile;
        bool const isThere = first.x + row < count.x && first.y + element < count.y;
        int64_t const at = (first.x + row) * strides.row + (first.y + element) * strides.element;
        to[element][row] = isThere ? toFloat(from[at]) : 0;
    }
}

/// to[row][element], likewise.
template <class T, int width>
__device__ void fetch(float (&to)[kDepth][width + 4], T const* from, StridedRows const& strides, int2 first,
                      int2 count) {
    for (int i = static_cast<int>(threadIdx.x); i < kDepth * width; i += kSide * kSide) {
        int const row = i / width;
        int const element = i % width;
        bool const isThere = first.x + row < count.x && first.y + element < count.y;
        int64_t const at = (first.x + row) * strides.row + (first.y + element) * strides.element;
        to[row][element] = isThere ? toFloat(from[at]) : 0;
    }
}

__device__ void addOuter(float (&sums)[4][4], Quad const a, Quad const b) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sums[i][j] += a.at[i] * b.at[j];
    }
}

/// Reduces across the threads that share queries: half a warp.
template <class Join> __device__ float joined(float mine, Join join) {
    for (int step = kSide / 2; step > 0; step /= 2) mine = join(mine, __shfl_xor_sync(~0U, mine, step));
    return mine;
}

/// 4 queries of a thread, with `quads` times 4 columns of the result.
template <int quads> struct QueryRows {
    float result[quads][4][4] = {};
    float most[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};
    float sum[4] = {};

    /// Turns scores into weights; earlier sums are rescaled to the new maximum score.
    __device__ void weigh(float (&scores)[4][4]) {
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float greatest = most[i];
            for (float const score : scores[i]) greatest = fmaxf(greatest, score);
            greatest = joined(greatest, [](float a, float b) { return fmaxf(a, b); });
            float const base = greatest == -INFINITY ? 0 : greatest; // a row that has not seen any key yet
            float const factor = exp2f(most[i] - base);
            most[i] = greatest;
            sum[i] *= factor;
            for (float& score : scores[i]) score = exp2f(score - base), sum[i] += score;
#pragma unroll
            for (auto& quad : result) {
                for (float& element : quad[i]) element *= factor;
            }
        }
    }

    /// The sum of all weights of query i.
    __device__ float total(int i) const {
        return joined(sum[i], [](float a, float b) { return a + b; });
    }
};

/// Q [N,H,S,D], K [N,H',T,D], V [N,H',T,E] → Y [N,H,S,E]. A block processes kTile queries of one head and iterates over
/// tiles of keys; adjacent blocks along the grid's second extent compute 64 · quads columns of the result each, with
/// the same scores.
template <class T, int quads, bool extended>
__global__ void __launch_bounds__(kSide* kSide) tiledAttention(AttentionArguments const a) {
    constexpr int kColumns = 64 * quads;
    __shared__ __align__(16) float queries[kDepth][kPitch], keys[kDepth][kPitch];
    __shared__ __align__(16) float weights[kTile][kPitch]; // [key][query]
    __shared__ __align__(16) float values[kDepth][kColumns + 4];
    int const blocks = (a.queries + kTile - 1) / kTile;
    int const firstQuery = (blocks - 1 - static_cast<int>(blockIdx.x) % blocks) * kTile;
    int const head = static_cast<int>(blockIdx.x) / blocks % a.heads;
    int const batch = static_cast<int>(blockIdx.x) / blocks / a.heads;
    SequenceRange const range = a.sequence(batch);
    if (firstQuery >= range.queries) return; // the sequence is shorter
    auto const* const q = static_cast<T const*>(a.queryData) + a.query.start(batch, head, range.firstQuery);
    auto const* const k = static_cast<T const*>(a.keyData) + a.key.start(batch, head / a.sharing, range.firstKey);
    auto const* const v = static_cast<T const*>(a.valueData) + a.value.start(batch, head / a.sharing, range.firstKey);
    int64_t const maskStart = a.mask.start(batch, head);
    int const ofQuery = static_cast<int>(threadIdx.x) / kSide * 4;
    int const ofKey = static_cast<int>(threadIdx.x) % kSide * 4;
    int const firstColumn = static_cast<int>(blockIdx.y) * kColumns;
    int const seen = range.seenBy(min(firstQuery + kTile, range.queries));
    QueryRows<quads> rows;
    for (int first = extended ? range.firstSeenBy(firstQuery) / kTile * kTile : 0; first < seen; first += kTile) {
        float scores[4][4] = {};
        for (int depth = 0; depth < a.size; depth += kDepth) {
            fetchTurned(queries, q, a.query, {firstQuery, depth}, {range.queries, a.size});
            fetchTurned(keys, k, a.key, {first, depth}, {range.keys, a.size});
            __syncthreads();
#pragma unroll
            for (int d = 0; d < kDepth; ++d)
                addOuter(scores, *reinterpret_cast<Quad const*>(&queries[d][ofQuery]),
                         *reinterpret_cast<Quad const*>(&keys[d][ofKey]));
            __syncthreads();
        }
#pragma unroll
        for (int i = 0; i < 16; ++i) {
            int const query = firstQuery + ofQuery + i / 4;
            int64_t const row = maskStart + min(query, range.queries - 1) * a.mask.row;
            int const seenByThis = range.seenBy(query + 1);
            int const key = first + ofKey + i % 4;
            float& score = scores[i / 4][i % 4];
            score = a.score<T, extended>(score, row, seenByThis, key);
            if (extended && key < range.firstSeenBy(query)) score = a.leftOut();
        }
        if (a.softmax) rows.weigh(scores);
#pragma unroll
        for (int j = 0; j < 4; ++j)
            *reinterpret_cast<Quad*>(&weights[ofKey + j][ofQuery]) = {
                {scores[0][j], scores[1][j], scores[2][j], scores[3][j]}};
        for (int key = 0; key < min(kTile, seen - first); key += kDepth) {
            fetch<T, kColumns>(values, v, a.value, {first + key, firstColumn}, {range.keys, a.valueSize});
            __syncthreads(); // after the weights too
#pragma unroll
            for (int t = 0; t < kDepth; ++t) {
                Quad const weight = *reinterpret_cast<Quad const*>(&weights[key + t][ofQuery]);
#pragma unroll
                for (int quad = 0; quad < quads; ++quad)
                    addOuter(rows.result[quad], weight, *reinterpret_cast<Quad const*>(&values[t][64 * quad + ofKey]));
            }
            __syncthreads();
        }
    }
    auto* const y = static_cast<T*>(a.outputData) + a.output.start(batch, head, range.firstQuery);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        float const factor = a.normalizer(rows.total(i));
        int const query = firstQuery + ofQuery + i;
#pragma unroll
        for (int j = 0; j < 4 * quads; ++j) {
            int const column = firstColumn + j / 4 * 64 + ofKey + j % 4;
            if (query < range.queries && column < a.valueSize)
                y[query * a.output.row + column * a.output.element] =
                    convertTo<T>(rows.result[j / 4][i][j % 4] * factor);
        }
    }
}

class RunTiledAttention final : public Executable {
public:
    explicit RunTiledAttention(PrepareArgs const& args) : arguments_(args), type_(args.variant.outputs[0].type) {}

    void run(Pointers const& pointers) override {
        constexpr int kFew = 64; // columns
        auto const columns = static_cast<unsigned>(arguments_.valueSize);
        unsigned const blocks = arguments_.blocks(kTile);
        if (blocks == 0 || columns == 0) return;
        cudaStream_t const stream = streamOf(pointers.stream);
        auto const arguments = arguments_.bound(pointers);
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            dispatchExtended([&]<bool extended>() {
                if (columns <= kFew)
                    tiledAttention<T, 1, extended><<<blocks, kSide * kSide, 0, stream>>>(arguments);
                else
                    tiledAttention<T, 2, extended>
                        <<<dim3(blocks, (columns + 127) / 128), kSide * kSide, 0, stream>>>(arguments);
            });
        });
        checkLaunch("tiled attention");
    }

private:
    template <class Body> void dispatchExtended(Body body) const {
        if (arguments_.isExtended())
            body.template operator()<true>();
        else
            body.template operator()<false>();
    }

    AttentionArguments arguments_;
    DataType type_;
};

} // namespace

std::unique_ptr<Executable> makeTiledAttention(PrepareArgs const& args) {
    return std::make_unique<RunTiledAttention>(args);
}

} // namespace tenon::cuda
