// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Attention whose scores never leave the registers: T. Dao, D. Y. Fu, S. Ermon, A. Rudra and C. Ré, "FlashAttention"
// (2022), with the order of loops of T. Dao, "FlashAttention-2" (2023).

#include "layers/attention/attention_arguments_cuda.h"

#include "backends/cuda/launch.h"

#include <cuda_pipeline_primitives.h>

namespace tenon::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kWarpRows = 16;          // queries of a warp: the rows of one product of the tensor cores
constexpr int kTile = 64;              // keys that a block processes at a time
constexpr int kStep = 16;              // elements that one product sums up
constexpr int kWord = 8;               // elements in 16 bytes
constexpr int kScoreTiles = kTile / 8; // products are 16 x 8

/// An accumulator of the tensor cores: lane 4 g + t has rows g and g + 8, columns 2 t and 2 t + 1.
using Product = float[4];

template <class T> __device__ void multiplyAdd(Product& sum, unsigned const (&a)[4], unsigned b0, unsigned b1) {
    if constexpr (std::is_same_v<T, __half>)
        asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    else
        asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

/// Four 8 x 8 matrices; lane i gives the address of row i % 8 of matrix i / 8, and gets columns 2 t and 2 t + 1 of row
/// g.
__device__ void loadMatrices(unsigned (&to)[4], void const* row) {
    auto const at = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
}

/// The same for the transposed matrices.
__device__ void loadTransposed(unsigned (&to)[4], void const* row) {
    auto const at = static_cast<unsigned>(__cvta_generic_to_shared(row));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(at)
                 : "memory");
}

/// 2^x, with a relative error of 2^-22; exp2f() takes four instructions for subnormal results.
__device__ float power(float x) {
    float result;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
    return result;
}

template <class T> __device__ unsigned packed(float first, float second) {
    Pack<T, 2> const pair{{convertTo<T>(first), convertTo<T>(second)}};
    return *reinterpret_cast<unsigned const*>(&pair);
}

/// Rows of up to `width` elements in shared memory, zero beyond the valid ones. Rows are a word longer, so that eight
/// rows of a matrix are in different banks.
template <class T, int height, int width> struct Tile {
    T rows[height][width + kWord];

    /// Rows `first`… of `count`, of `size` elements each.
    __device__ void fetch(T const* data, StridedRows const& from, int first, int count, int size) {
        constexpr int kWords = width / kWord;
        for (int i = static_cast<int>(threadIdx.x); i < height * kWords; i += static_cast<int>(blockDim.x)) {
            bool const along = from.element == 1; // so that adjacent threads read contiguous elements
            int const row = along ? i / kWords : i % height;
            int const column = (along ? i % kWords : i / height) * kWord;
            bool const isThere = first + row < count && column < size;
            T const* const source = isThere ? data + (first + row) * from.row + column * from.element : data;
            T* const to = &rows[row][column];
            if (from.words)
                __pipeline_memcpy_async(to, source, sizeof(T) * kWord, isThere ? 0 : sizeof(T) * kWord);
            else
                gather(to, source, from.element, isThere ? size - column : 0);
        }
    }

private:
    __device__ static void gather(T* to, T const* from, int64_t step, int count) {
        Pack<T, kWord> word;
#pragma unroll
        for (int i = 0; i < kWord; ++i) word.at[i] = i < count ? from[i * step] : convertTo<T>(0.0F);
        *reinterpret_cast<Pack<T, kWord>*>(to) = word;
    }
};

template <class T, int width, int warps> struct Shared {
    Tile<T, warps * kWarpRows, width> query;
    Tile<T, kTile, width> key[2]; // one is read while the other is being loaded
    Tile<T, kTile, width> value[2];
};

/// kWarpRows queries of one warp, whose lanes hold rows g and g + 8.
template <class T, int width> struct WarpRows {
    unsigned query[width / kStep][4];
    Product result[width / 8] = {};
    float most[2] = {-INFINITY, -INFINITY};
    float sum[2] = {0, 0}; // of this lane's columns

    template <int height> __device__ void load(Tile<T, height, width> const& tile, int firstRow, int lane) {
#pragma unroll
        for (int step = 0; step < width / kStep; ++step)
            loadMatrices(query[step], &tile.rows[firstRow + lane % 16][step * kStep + lane / 16 * 8]);
    }

    /// Q Kᵀ with the keys of a tile.
    __device__ void score(Product (&scores)[kScoreTiles], Tile<T, kTile, width> const& key, int size, int lane) const {
#pragma unroll
        for (int step = 0; step < width / kStep; ++step) {
            if (step * kStep >= size) break;
#pragma unroll
            for (int tile = 0; tile < kScoreTiles; tile += 2) {
                unsigned k[4];
                loadMatrices(k, &key.rows[tile * 8 + lane / 16 * 8 + lane % 8][step * kStep + lane / 8 % 2 * 8]);
                multiplyAdd<T>(scores[tile], query[step], k[0], k[1]);
                multiplyAdd<T>(scores[tile + 1], query[step], k[2], k[3]);
            }
        }
    }

    /// Turns scores into weights; earlier sums are rescaled to the new maximum score.
    __device__ void weigh(Product (&scores)[kScoreTiles]) {
#pragma unroll
        for (int half = 0; half < 2; ++half) {
            float greatest = most[half];
#pragma unroll
            for (int tile = 0; tile < kScoreTiles; ++tile)
                greatest = fmaxf(greatest, fmaxf(scores[tile][2 * half], scores[tile][2 * half + 1]));
            greatest = fmaxf(greatest, __shfl_xor_sync(~0U, greatest, 1));
            greatest = fmaxf(greatest, __shfl_xor_sync(~0U, greatest, 2));
            float const base = greatest == -INFINITY ? 0 : greatest; // a row that has not seen any key yet
            float const factor = power(most[half] - base);
            most[half] = greatest;
            sum[half] *= factor;
#pragma unroll
            for (int tile = 0; tile < kScoreTiles; ++tile) {
                for (int i = 2 * half; i < 2 * half + 2; ++i) {
                    scores[tile][i] = power(scores[tile][i] - base);
                    sum[half] += scores[tile][i];
                }
            }
#pragma unroll
            for (Product& part : result) part[2 * half] *= factor, part[2 * half + 1] *= factor;
        }
    }

    /// Adds the weighted values of a tile.
    __device__ void add(Product const (&weights)[kScoreTiles], Tile<T, kTile, width> const& value, int size, int lane) {
#pragma unroll
        for (int step = 0; step < kTile / kStep; ++step) {
            Product const& left = weights[2 * step];
            Product const& right = weights[2 * step + 1];
            unsigned const w[4]{packed<T>(left[0], left[1]), packed<T>(left[2], left[3]), packed<T>(right[0], right[1]),
                                packed<T>(right[2], right[3])};
#pragma unroll
            for (int tile = 0; tile < width / 8; tile += 2) {
                if (tile * 8 >= size) break;
                unsigned v[4];
                loadTransposed(v, &value.rows[step * kStep + lane % 16][tile * 8 + lane / 16 * 8]);
                multiplyAdd<T>(result[tile], w, v[0], v[1]);
                multiplyAdd<T>(result[tile + 1], w, v[2], v[3]);
            }
        }
    }

    /// Y, of the query in row `half` of this lane.
    __device__ void store(T* y, StridedRows const& to, int half, AttentionArguments const& a) const {
        int const size = a.valueSize;
        float all = sum[half];
        all += __shfl_xor_sync(~0U, all, 1);
        all += __shfl_xor_sync(~0U, all, 2);
        float const factor = a.normalizer(all);
        if (y == nullptr) return;
        int const lane = static_cast<int>(threadIdx.x) % kWarp;
#pragma unroll
        for (int tile = 0; tile < width / 8; ++tile) {
            int const column = tile * 8 + lane % 4 * 2;
            T const first = convertTo<T>(result[tile][2 * half] * factor);
            T const second = convertTo<T>(result[tile][2 * half + 1] * factor);
            if (to.words && column < size) {
                *reinterpret_cast<Pack<T, 2>*>(y + column) = {{first, second}};
                continue;
            }
            if (column < size) y[column * to.element] = first;
            if (column + 1 < size) y[(column + 1) * to.element] = second;
        }
    }
};

/// Q [N,H,S,D], K [N,H',T,D], V [N,H',T,E] → Y [N,H,S,E], D and E up to `width`. A block processes kWarpRows queries of
/// one head for each of its warps, and iterates over tiles of keys.
template <class T, int width, int warps, bool extended>
__global__ void __launch_bounds__(warps* kWarp) flashAttention(AttentionArguments const a) {
    extern __shared__ __align__(16) unsigned char memory[];
    auto& shared = *reinterpret_cast<Shared<T, width, warps>*>(memory);
    constexpr int kQueries = warps * kWarpRows;
    int const blocks = (a.queries + kQueries - 1) / kQueries;
    int const block = blocks - 1 - static_cast<int>(blockIdx.x) % blocks; // if causal, those with most keys first
    int const head = static_cast<int>(blockIdx.x) / blocks % a.heads;
    int const batch = static_cast<int>(blockIdx.x) / blocks / a.heads;
    SequenceRange const range = a.sequence(batch);
    if (block * kQueries >= range.queries) return; // the sequence is shorter
    auto const* const q = static_cast<T const*>(a.queryData) + a.query.start(batch, head, range.firstQuery);
    auto const* const k = static_cast<T const*>(a.keyData) + a.key.start(batch, head / a.sharing, range.firstKey);
    auto const* const v = static_cast<T const*>(a.valueData) + a.value.start(batch, head / a.sharing, range.firstKey);
    auto const fetch = [&](int tile) {
        shared.key[tile % 2].fetch(k, a.key, tile * kTile, range.keys, a.size);
        shared.value[tile % 2].fetch(v, a.value, tile * kTile, range.keys, a.valueSize);
    };
    int const seenByAll = range.seenBy(block * kQueries + 1);
    int const firstTile = extended ? range.firstSeenBy(block * kQueries) / kTile : 0;
    int const tiles = (range.seenBy(min((block + 1) * kQueries, range.queries)) + kTile - 1) / kTile;
    int const lane = static_cast<int>(threadIdx.x) % kWarp;
    int const firstRow = static_cast<int>(threadIdx.x) / kWarp * kWarpRows;
    int const firstQuery = block * kQueries + firstRow + lane / 4; // of this lane; the second is 8 below
    int64_t const maskStart = a.mask.start(batch, head);
    WarpRows<T, width> rows;
    shared.query.fetch(q, a.query, block * kQueries, range.queries, a.size);
    if (firstTile < tiles) fetch(firstTile);
    __pipeline_commit();
    for (int tile = firstTile; tile < tiles; ++tile) {
        if (tile + 1 < tiles) fetch(tile + 1);
        __pipeline_commit();
        __pipeline_wait_prior(1);
        __syncthreads();
        if (tile == firstTile) rows.load(shared.query, firstRow, lane);
        Product scores[kScoreTiles] = {};
        rows.score(scores, shared.key[tile % 2], a.size, lane);
        if (!extended && !a.hasMask && (tile + 1) * kTile <= seenByAll) { // all queries see all its keys
#pragma unroll
            for (Product& product : scores)
                for (float& score : product) score *= a.scale;
        } else {
#pragma unroll
            for (int i = 0; i < kScoreTiles * 4; ++i) {
                float& score = scores[i / 4][i % 4];
                int const query = firstQuery + i % 4 / 2 * 8;
                int const key = tile * kTile + i / 4 * 8 + lane % 4 * 2 + i % 2;
                int const row =
                    min(query, range.queries - 1); // rows beyond the end read a valid mask, and are not stored
                score = a.score<T, extended>(score, maskStart + row * a.mask.row, range.seenBy(query + 1), key);
                if (extended && key < range.firstSeenBy(query)) score = a.leftOut();
            }
        }
        if (a.softmax) rows.weigh(scores);
        rows.add(scores, shared.value[tile % 2], a.valueSize, lane);
        __syncthreads(); // before the tile is overwritten
    }
    auto* const y = static_cast<T*>(a.outputData) + a.output.start(batch, head, range.firstQuery);
    for (int half = 0; half < 2; ++half) {
        int const query = firstQuery + half * 8;
        rows.store(query < range.queries ? y + query * a.output.row : nullptr, a.output, half, a);
    }
}

class RunFlashAttention final : public Executable {
public:
    explicit RunFlashAttention(PrepareArgs const& args) : arguments_(args), type_(args.variant.outputs[0].type) {
        dispatchKernel([](auto* kernel, int /*warps*/, size_t bytes) {
            check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(bytes)),
                  "cudaFuncSetAttribute");
        });
    }

    void run(Pointers const& pointers) override {
        if (arguments_.valueSize == 0) return;
        dispatchKernel([&](auto* kernel, int warps, size_t bytes) {
            unsigned const blocks = arguments_.blocks(warps * kWarpRows);
            if (blocks == 0) return;
            kernel<<<blocks, warps * kWarp, bytes, streamOf(pointers.stream)>>>(arguments_.bound(pointers));
        });
        checkLaunch("flash attention");
    }

private:
    template <class Body> void dispatchKernel(Body body) const {
        if (type_ == DataType::Float16)
            dispatchExtended<__half>(body);
        else
            dispatchExtended<__nv_bfloat16>(body);
    }

    template <class T, class Body> void dispatchExtended(Body body) const {
        if (arguments_.isExtended())
            dispatchWidth<T, true>(body);
        else
            dispatchWidth<T, false>(body);
    }

    template <class T, bool extended, class Body> void dispatchWidth(Body body) const {
        int const size = std::max(arguments_.size, arguments_.valueSize);
        if (size <= 32)
            dispatchWarps<T, 32, extended>(body);
        else if (size <= 64)
            dispatchWarps<T, 64, extended>(body);
        else
            dispatchWarps<T, kMostFlashSize, extended>(body);
    }

    /// With many warps a tile of keys is read once for all; with few a small problem is spread over all
    /// multiprocessors.
    template <class T, int width, bool extended, class Body> void dispatchWarps(Body body) const {
        constexpr int kMany = 8, kFew = 4;
        if (arguments_.blocks(kMany * kWarpRows) >= static_cast<unsigned>(properties().multiProcessorCount))
            body(flashAttention<T, width, kMany, extended>, kMany, sizeof(Shared<T, width, kMany>));
        else
            body(flashAttention<T, width, kFew, extended>, kFew, sizeof(Shared<T, width, kFew>));
    }

    AttentionArguments arguments_;
    DataType type_;
};

} // namespace

std::unique_ptr<Executable> makeFlashAttention(PrepareArgs const& args) {
    return std::make_unique<RunFlashAttention>(args);
}

} // namespace tenon::cuda
