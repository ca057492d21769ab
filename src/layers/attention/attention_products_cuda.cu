// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The second output of an attention: what becomes of the products of queries and keys on the way. It is there to look
// at, so it is computed once more, beside the attention, whose kernels do without it.

#include "layers/attention/attention_arguments_cuda.h"

#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

constexpr int kWarp = 32;
constexpr int kWarps = 8;

/// The maximum of some scores, and the sum of all 2^(score - maximum).
struct Total {
    float most, sum;

    __device__ float part(float score) const { return score == -INFINITY ? 0 : exp2f(score - most); }
    __device__ void add(Total const& other) {
        Total both{fmaxf(most, other.most), 0}; // the maximum ignores NaN; this sum then becomes NaN
        both.sum = sum * both.part(most) + other.sum * both.part(other.most);
        *this = both;
    }
};

/// One query; the same for all lanes of a warp.
template <class T> struct Row {
    AttentionArguments const& a;
    T const* query;
    T const* keys;
    SequenceRange range;
    int at; // in the sequence
    int64_t maskRow;
    int lane;

    /// Of this query and a key.
    __device__ float product(int key) const {
        float sum = 0;
        for (int d = lane; d < a.size; d += kWarp)
            sum += toFloat(query[d * a.query.element]) * toFloat(keys[key * a.key.row + d * a.key.element]);
        for (int step = kWarp / 2; step > 0; step /= 2) sum += __shfl_xor_sync(~0U, sum, step);
        return sum;
    }

    __device__ float masked(float product, int key) const {
        if (key < range.firstSeenBy(at)) return a.leftOut();
        return a.score<T, true>(product, maskRow, range.seenBy(at + 1), key);
    }

    __device__ float result(int key, Total const& total) const {
        float const value = product(key);
        switch (a.products) {
        case Attention::Products::Raw: return value * a.scale / a.maskScale;
        case Attention::Products::Capped: return a.scaled<true>(value) / a.maskScale;
        case Attention::Products::Masked: return masked(value, key) / a.maskScale;
        case Attention::Products::Normalized: return total.part(masked(value, key)) * a.normalizer(total.sum);
        case Attention::Products::None: break;
        }
        return 0;
    }
};

/// Q [N,H,S,D], K [N,H',T,D] → [N,H,S,T]. A block processes one query, each warp every kWarps-th key.
template <class T> __global__ void __launch_bounds__(kWarps* kWarp) attentionProducts(AttentionArguments const a) {
    __shared__ Total totals[kWarps];
    int const at = static_cast<int>(blockIdx.x) % a.queries;
    int const head = static_cast<int>(blockIdx.x) / a.queries % a.heads;
    int const batch = static_cast<int>(blockIdx.x) / a.queries / a.heads;
    int const warp = static_cast<int>(threadIdx.x) / kWarp;
    int const lane = static_cast<int>(threadIdx.x) % kWarp;
    Row<T> const row{a,
                     static_cast<T const*>(a.queryData) + a.query.start(batch, head, at),
                     static_cast<T const*>(a.keyData) + a.key.start(batch, head / a.sharing),
                     a.sequence(batch),
                     at,
                     a.mask.start(batch, head, at),
                     lane};
    Total total{-INFINITY, 0};
    if (a.products == Attention::Products::Normalized) {
        for (int key = warp; key < a.keys; key += kWarps) total.add({row.masked(row.product(key), key), 1});
        if (lane == 0) totals[warp] = total;
        __syncthreads();
        total = {-INFINITY, 0};
        for (Total const& one : totals) total.add(one);
    }
    T* const to = static_cast<T*>(a.productsData) + int64_t{blockIdx.x} * a.keys;
    for (int key = warp; key < a.keys; key += kWarps) {
        float const value = row.result(key, total);
        if (lane == 0) to[key] = convertTo<T>(value);
    }
}

class RunWithProducts final : public Executable {
public:
    RunWithProducts(PrepareArgs const& args, std::unique_ptr<Executable> inner)
        : inner_(std::move(inner)), arguments_(args), type_(args.variant.outputs[0].type) {}

    size_t workspaceBytes() const override { return inner_->workspaceBytes(); }

    void run(Pointers const& pointers) override {
        inner_->run(pointers);
        unsigned const blocks = arguments_.blocks(1);
        if (blocks == 0 || arguments_.keys == 0) return;
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            attentionProducts<T><<<blocks, kWarps * kWarp, 0, streamOf(pointers.stream)>>>(arguments_.bound(pointers));
        });
        checkLaunch("attention's products");
    }

private:
    std::unique_ptr<Executable> inner_;
    AttentionArguments arguments_;
    DataType type_;
};

} // namespace

std::unique_ptr<Executable> withProducts(PrepareArgs const& args, std::unique_ptr<Executable> inner) {
    if (args.outputs.size() == 1) return inner;
    return std::make_unique<RunWithProducts>(args, std::move(inner));
}

} // namespace tenon::cuda
