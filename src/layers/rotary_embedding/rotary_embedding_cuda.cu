// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/rotary_embedding/rotary_embedding.h"

#include "backends/cuda/counted.h"
#include "backends/cuda/divider.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"

namespace tenon::cuda {
namespace {

/// A Rotation with divisors for a GPU thread, and the positions.
struct Turns {
    uint32_t rows;
    int pairs, size, apart, next;
    Divider inner; // S of [N,H,S], H of [N,S,H]
    Divider outer; // H of [N,H,S]
    bool tokensOuter;
    int64_t positions;
    void const* positionsOfTokens; // null: each token has its own cosines
    bool wide;                     // they are int64

    /// The row of cosines of a row of X; -1 for a position out of range.
    __device__ int64_t tableRow(uint32_t row) const {
        uint32_t const first = inner.divide(row); // (n, h), or (n, s)
        uint32_t token = first;
        if (!tokensOuter) token = outer.divide(first) * inner.divisor() + (row - first * inner.divisor());
        if (positionsOfTokens == nullptr) return token;
        int64_t const at = wide ? static_cast<int64_t const*>(positionsOfTokens)[token]
                                : static_cast<int32_t const*>(positionsOfTokens)[token];
        if (at < -positions || at >= positions) return -1;
        return at < 0 ? at + positions : at;
    }
};

/// The threads of a block along x process the pairs of one row, and then the copied elements, adjacent in memory; those
/// along y process a row each. On the CPU a position out of range is an Error; here the pairs become 0, and nothing
/// outside of the tables is read.
template <class T>
__global__ void turnRows(T const* __restrict__ x, T const* __restrict__ cosines, T const* __restrict__ sines,
                         T* __restrict__ y, __grid_constant__ Turns const turns) {
    uint32_t const row = blockIdx.x * blockDim.y + threadIdx.y;
    if (row >= turns.rows) return;
    int64_t const at = turns.tableRow(row);
    x += int64_t{row} * turns.size;
    y += int64_t{row} * turns.size;
    int const thread = static_cast<int>(threadIdx.x);
    int const threads = static_cast<int>(blockDim.x);
    for (int pair = thread; pair < turns.pairs; pair += threads) {
        float const cosine = at < 0 ? 0 : toFloat(cosines[at * turns.pairs + pair]);
        float const sine = at < 0 ? 0 : toFloat(sines[at * turns.pairs + pair]);
        int const first = pair * turns.next;
        float const a = toFloat(x[first]);
        float const b = toFloat(x[first + turns.apart]);
        y[first] = convertTo<T>(a * cosine - b * sine);
        y[first + turns.apart] = convertTo<T>(a * sine + b * cosine);
    }
    for (int i = 2 * turns.pairs + thread; i < turns.size; i += threads) y[i] = x[i];
}

constexpr int64_t kMostRows = int64_t{1} << 30; // and elements of a row: 32-bit numbers

class RunRotaryEmbedding final : public Executable {
public:
    explicit RunRotaryEmbedding(PrepareArgs const& args) : type_(args.variant.inputs[0].type) {
        Rotation const rotation(*as<RotaryEmbedding>(*args.node.layer), args.inputs);
        looksUp_ = args.node.input(RotaryEmbedding::kPositions) != nullptr;
        turns_.rows = counted(rotation.rows, "rows", kMostRows);
        turns_.pairs = static_cast<int>(rotation.pairs);
        turns_.size = static_cast<int>(counted(rotation.size, "elements of a row", kMostRows));
        turns_.apart = static_cast<int>(rotation.apart);
        turns_.next = static_cast<int>(rotation.next);
        turns_.inner = Divider(static_cast<uint32_t>(rotation.tokensOuter ? rotation.heads : rotation.tokens));
        turns_.outer = Divider(static_cast<uint32_t>(rotation.heads));
        turns_.tokensOuter = rotation.tokensOuter;
        turns_.positions = rotation.positions;
        turns_.wide = looksUp_ && args.variant.inputs[RotaryEmbedding::kPositions].type == DataType::Int64;
        while (threads_ < static_cast<unsigned>(kThreads) && threads_ < static_cast<unsigned>(turns_.pairs))
            threads_ *= 2;
    }

    void run(Pointers const& pointers) override {
        Turns turns = turns_;
        turns.positionsOfTokens = looksUp_ ? pointers.inputs[RotaryEmbedding::kPositions] : nullptr;
        dim3 const block(threads_, kThreads / threads_);
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            turnRows<<<blocksFor(turns.rows, block.y), block, 0, streamOf(pointers.stream)>>>(
                static_cast<T const*>(pointers.inputs[RotaryEmbedding::kX]),
                static_cast<T const*>(pointers.inputs[RotaryEmbedding::kCosines]),
                static_cast<T const*>(pointers.inputs[RotaryEmbedding::kSines]), static_cast<T*>(pointers.outputs[0]),
                turns);
        });
        checkLaunch("rotary embedding");
    }

private:
    DataType type_;
    bool looksUp_ = false;
    Turns turns_{};
    unsigned threads_ = 8; // along a row
};

class CudaRotaryEmbedding final : public Kernel {
public:
    std::string_view name() const override { return "cuda_rotary_embedding"; }

    // dense, computed in float32
    Offer offer(KernelQuery const& query) const override {
        Dims const& x = query.inputs[0];
        if (x.volume(0, 3) > kMostRows || x[3] > kMostRows)
            return Offer::refuse(text("supports up to ", kMostRows, " rows"));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {label, label, label}, .outputs = {label}};
            if (Tensor const* positions = query.node.input(RotaryEmbedding::kPositions))
                variant.inputs.push_back({positions->type, Format::linear(), kCuda});
            variant.cost = kernelCost(2.0 * static_cast<double>(bytesOf(query.outputs[0], label)));
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunRotaryEmbedding>(args);
    }
};

constexpr CudaRotaryEmbedding kRotaryEmbedding;
constexpr Kernel const* kKernels[]{&kRotaryEmbedding};

} // namespace

KernelList rotaryEmbeddingKernels() { return {RotaryEmbedding::kKind, kKernels}; }

} // namespace tenon::cuda
