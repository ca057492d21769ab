// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/moe/moe.h"

#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/numbers.cuh"
#include "base/text.h"

#include <algorithm>

namespace tenon::cuda {
namespace {

constexpr int kMostExperts = 1024; // limit of one sorting block
constexpr int kColumns = 64;       // of a tile
constexpr int kDepth = 16;         // of a tile's factors that are in shared memory
constexpr int kFew = 16;           // rows of a tile, if experts have few; a thread then has one
constexpr int kMany = 64;
constexpr int kWarp = 32;
constexpr size_t kPlace = 256; // alignment of the workspace's parts

/// Rows are tokens, repeated for each of their experts and grouped by expert.
struct Sorted {
    int* rows;   // [rows]: the token and choice of a row, token · k + choice
    int* slots;  // the reverse; -1: its expert does not exist
    int* tiles;  // [tiles,3]: expert, first row, end row
    int* counts; // the number of tiles
};

/// By one block. An expert that does not exist gets no row.
__global__ void sortRows(int const* __restrict__ chosen, Sorted const sorted, int rows, int experts, int tileRows) {
    __shared__ int counts[kMostExperts];
    __shared__ int next[kMostExperts];
    __shared__ int tiles[kMostExperts];
    auto const thread = static_cast<int>(threadIdx.x);
    auto const threads = static_cast<int>(blockDim.x);
    for (int e = thread; e < experts; e += threads) counts[e] = 0;
    __syncthreads();
    for (int i = thread; i < rows; i += threads) {
        if (chosen[i] >= 0 && chosen[i] < experts) atomicAdd(&counts[chosen[i]], 1);
    }
    __syncthreads();
    if (thread == 0) {
        int row = 0;
        int tile = 0;
        for (int e = 0; e < experts; ++e) {
            next[e] = row;
            tiles[e] = tile;
            row += counts[e];
            tile += (counts[e] + tileRows - 1) / tileRows;
        }
        *sorted.counts = tile;
    }
    __syncthreads();
    for (int e = thread; e < experts; e += threads) {
        for (int i = 0, tile = tiles[e]; i < counts[e]; i += tileRows, ++tile) {
            sorted.tiles[3 * tile] = e;
            sorted.tiles[3 * tile + 1] = next[e] + i;
            sorted.tiles[3 * tile + 2] = next[e] + min(i + tileRows, counts[e]);
        }
    }
    __syncthreads();
    for (int i = thread; i < rows; i += threads) {
        bool const isThere = chosen[i] >= 0 && chosen[i] < experts;
        int const slot = isThere ? atomicAdd(&next[chosen[i]], 1) : -1;
        sorted.slots[i] = slot;
        if (isThere) sorted.rows[slot] = i;
    }
}

/// Combines gate and up.
struct Gating {
    bool isSilu;
    float limit, alpha, beta;

    __device__ float operator()(float gate, float up) const {
        if (limit > 0) {
            gate = fminf(gate, limit);
            up = fminf(fmaxf(up, -limit), limit);
        }
        if (isSilu) gate /= 1 + expf(-alpha * gate);
        return gate * (up + beta);
    }
};

/// A factor of a tile, in shared memory.
struct Factor {
    float at[kDepth][kColumns];

    template <class T>
    __device__ void load(T const* matrix, int64_t depth, int64_t columns, int64_t k, int64_t column) {
        for (int i = static_cast<int>(threadIdx.x); i < kDepth * kColumns; i += kThreads) {
            int64_t const row = k + i / kColumns;
            int64_t const c = column + i % kColumns;
            at[i / kColumns][i % kColumns] = row < depth && c < columns ? toFloat(matrix[row * columns + c]) : 0;
        }
    }
};

/// The rows of a left factor, in shared memory.
template <int tileRows> struct Left {
    float at[kDepth][tileRows + 1]; // neighbors along the depth are written to different banks

    /// `rowAt` returns the start of a row of the tile, null after the last one.
    template <class RowAt> __device__ void load(RowAt const& rowAt, int64_t depth, int64_t k) {
        for (int i = static_cast<int>(threadIdx.x); i < kDepth * tileRows; i += kThreads) {
            auto const* const row = rowAt(i / kDepth);
            int64_t const at_ = k + i % kDepth;
            at[i % kDepth][i / kDepth] = row != nullptr && at_ < depth ? toFloat(row[at_]) : 0;
        }
    }
};

/// Four adjacent columns of some rows of a tile, for each thread.
template <int tileRows> struct Sums {
    static constexpr int kRows = tileRows / 16;
    float at[kRows][4] = {};

    static __device__ int row() { return static_cast<int>(threadIdx.x) / 16 * kRows; }
    static __device__ int column() { return static_cast<int>(threadIdx.x) % 16 * 4; }

    __device__ void add(Left<tileRows> const& left, Factor const& right) {
#pragma unroll
        for (int k = 0; k < kDepth; ++k) {
#pragma unroll
            for (int i = 0; i < kRows; ++i) {
#pragma unroll
                for (int j = 0; j < 4; ++j) at[i][j] += left.at[k][row() + i] * right.at[k][column() + j];
            }
        }
    }
};

/// X [tokens,C], gate and up [E,C,H] → hidden [rows,H]. A block computes a tile; the grid's second extent is that of
/// columns.
template <class T, int tileRows> struct GatedProduct {
    T const* x;
    T const* gate;
    T const* up;
    T const* gateBias;
    T const* upBias;
    T* hidden;
    float* products; // hidden before it is quantized, if it is; else null
    Sorted sorted;
    int64_t size, inner;
    int chosen;
    Gating gating;
};

template <class T, int tileRows>
__global__ void __launch_bounds__(kThreads) multiplyGated(__grid_constant__ GatedProduct<T, tileRows> const p) {
    __shared__ Left<tileRows> left;
    __shared__ Factor gate, up;
    if (static_cast<int>(blockIdx.x) >= *p.sorted.counts) return;
    int const* const tile = p.sorted.tiles + 3 * blockIdx.x;
    int const first = tile[1];
    int const end = tile[2];
    int64_t const matrix = tile[0] * p.size * p.inner;
    int64_t const column = int64_t{blockIdx.y} * kColumns;
    auto const rowAt = [&](int row) -> T const* {
        return first + row < end ? p.x + p.sorted.rows[first + row] / p.chosen * p.size : nullptr;
    };
    Sums<tileRows> gates;
    Sums<tileRows> ups;
    for (int64_t k = 0; k < p.size; k += kDepth) {
        left.load(rowAt, p.size, k);
        gate.load(p.gate + matrix, p.size, p.inner, k, column);
        up.load(p.up + matrix, p.size, p.inner, k, column);
        __syncthreads();
        gates.add(left, gate);
        ups.add(left, up);
        __syncthreads();
    }
    auto const biased = [&](float sum, T const* bias, int64_t c) {
        return bias == nullptr ? sum : sum + toFloat(bias[tile[0] * p.inner + c]);
    };
    for (int i = 0; i < Sums<tileRows>::kRows; ++i) {
        int64_t const row = first + gates.row() + i;
        for (int j = 0; j < 4; ++j) {
            int64_t const c = column + gates.column() + j;
            if (row >= end || c >= p.inner) continue;
            float const product = p.gating(biased(gates.at[i][j], p.gateBias, c), biased(ups.at[i][j], p.upBias, c));
            if (p.products != nullptr)
                p.products[row * p.inner + c] = product;
            else
                p.hidden[row * p.inner + c] = convertTo<T>(product);
        }
    }
}

/// products [rows,H] → hidden [rows,H]. The first extent of the grid is that of tiles; a warp quantizes one block of a
/// row after the other.
template <class T>
__global__ void roundProducts(float const* __restrict__ products, T* __restrict__ hidden, Sorted const sorted,
                              __grid_constant__ MoeRounding const rounding, Numbers const given, int64_t inner) {
    if (static_cast<int>(blockIdx.x) >= *sorted.counts) return;
    int const* const tile = sorted.tiles + 3 * blockIdx.x;
    int const lane = static_cast<int>(threadIdx.x) % kWarp;
    int64_t const across = (inner + rounding.block - 1) / rounding.block;
    int64_t const blocks = (tile[2] - tile[1]) * across;
    int64_t const warps = int64_t{gridDim.y} * (kThreads / kWarp);
    for (int64_t i = (int64_t{blockIdx.y} * kThreads + threadIdx.x) / kWarp; i < blocks; i += warps) {
        int64_t const column = i % across * rounding.block;
        int64_t const first = (tile[1] + i / across) * inner + column;
        int64_t const end = first + min(rounding.block, inner - column);
        float most = 0;
        for (int64_t at = first + lane; at < end; at += kWarp) most = fmaxf(most, fabsf(products[at]));
        for (int step = kWarp / 2; step > 0; step /= 2) most = fmaxf(most, __shfl_xor_sync(0xffffffffU, most, step));
        float const scale = rounding.scaleOf(most, given[0]);
        for (int64_t at = first + lane; at < end; at += kWarp)
            hidden[at] = convertTo<T>(rounding.rounded(products[at], scale));
    }
}

/// hidden [rows,H], down [E,H,C] → made [rows,C]
template <class T, int tileRows>
__global__ void __launch_bounds__(kThreads)
    multiplyDown(T const* __restrict__ hidden, T const* __restrict__ down, float* __restrict__ made,
                 Sorted const sorted, int64_t inner, int64_t size) {
    __shared__ Left<tileRows> left;
    __shared__ Factor right;
    if (static_cast<int>(blockIdx.x) >= *sorted.counts) return;
    int const* const tile = sorted.tiles + 3 * blockIdx.x;
    int const first = tile[1];
    int const end = tile[2];
    int64_t const column = int64_t{blockIdx.y} * kColumns;
    auto const rowAt = [&](int row) -> T const* {
        return first + row < end ? hidden + (first + row) * inner : nullptr;
    };
    Sums<tileRows> sums;
    for (int64_t k = 0; k < inner; k += kDepth) {
        left.load(rowAt, inner, k);
        right.load(down + tile[0] * inner * size, inner, size, k, column);
        __syncthreads();
        sums.add(left, right);
        __syncthreads();
    }
    for (int i = 0; i < Sums<tileRows>::kRows; ++i) {
        int64_t const row = first + sums.row() + i;
        for (int j = 0; j < 4; ++j) {
            int64_t const c = column + sums.column() + j;
            if (row < end && c < size) made[row * size + c] = sums.at[i][j];
        }
    }
}

/// The results of a token's experts.
template <class T> struct Choices {
    int const* experts;
    T const* scores;
    int const* slots;
    int64_t count; // of a token
};

struct Extents {
    int64_t tokens, size;
};

/// made [rows,C] → Y [tokens,C]
template <class T>
void sumUp(Choices<T> const& choices, float const* made, T const* bias, T* y, Extents const& extents,
           cudaStream_t stream) {
    int64_t const size = extents.size;
    launchForEach(extents.tokens * size, stream, "moe", [=] __device__(int64_t i) {
        int64_t const first = i / size * choices.count;
        int64_t const c = i % size;
        float sum = 0;
        for (int64_t k = first; k < first + choices.count; ++k) {
            if (choices.slots[k] < 0) continue;
            float const bound = bias == nullptr ? 0 : toFloat(bias[choices.experts[k] * size + c]);
            sum += toFloat(choices.scores[k]) * (made[choices.slots[k] * size + c] + bound);
        }
        y[i] = convertTo<T>(sum);
    });
}

class RunMoe final : public Executable {
public:
    explicit RunMoe(PrepareArgs const& args)
        : layer_(*as<Moe>(*args.node.layer)), p_(args.inputs), type_(args.variant.outputs[0].type),
          rounding_(layer_, p_.inner) {
        for (int i = Moe::kGateBias; i <= Moe::kDownBias; ++i)
            hasBias_[i - Moe::kGateBias] = args.node.input(i) != nullptr;
        tileRows_ = p_.rows() <= kFew * p_.experts ? kFew : kMany;
        mostTiles_ = p_.rows() / tileRows_ + std::min(p_.experts, p_.rows());
        rowsAt_ = place(sizeof(int), p_.rows());
        slotsAt_ = place(sizeof(int), p_.rows());
        tilesAt_ = place(sizeof(int), 3 * mostTiles_);
        countsAt_ = place(sizeof(int), 1);
        hiddenAt_ = place(bytesOf(type_, 1), p_.rows() * p_.inner);
        productsAt_ = place(sizeof(float), rounding_.rounds() ? p_.rows() * p_.inner : 0);
        if (rounding_.rounds()) scaleType_ = args.variant.inputs[Moe::kScale].type;
        madeAt_ = place(sizeof(float), p_.rows() * p_.size);
    }

    size_t workspaceBytes() const override { return bytes_; }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_, [&]<class T>(TypeTag<T>) {
            if (tileRows_ == kFew)
                compute<T, kFew>(pointers);
            else
                compute<T, kMany>(pointers);
        });
        checkLaunch("moe");
    }

private:
    /// Reserves space in the workspace.
    size_t place(size_t bytes, int64_t count) {
        size_t const here = bytes_;
        bytes_ += (bytes * static_cast<size_t>(count) + kPlace - 1) / kPlace * kPlace;
        return here;
    }
    template <class T> static T* at(Pointers const& pointers, size_t offset) {
        return reinterpret_cast<T*>(static_cast<char*>(pointers.workspace) + offset);
    }
    template <class T> static T const* input(Pointers const& pointers, int i) {
        return static_cast<T const*>(pointers.inputs[i]);
    }
    template <class T> T const* bias(Pointers const& pointers, int i) const {
        return hasBias_[i - Moe::kGateBias] ? input<T>(pointers, i) : nullptr;
    }
    dim3 gridFor(int64_t columns) const {
        return {static_cast<unsigned>(mostTiles_), static_cast<unsigned>((columns + kColumns - 1) / kColumns)};
    }

    template <class T, int tileRows> void compute(Pointers const& pointers) const {
        cudaStream_t const stream = streamOf(pointers.stream);
        Sorted const sorted{at<int>(pointers, rowsAt_), at<int>(pointers, slotsAt_), at<int>(pointers, tilesAt_),
                            at<int>(pointers, countsAt_)};
        constexpr int kSorting = 1024;
        sortRows<<<1, kSorting, 0, stream>>>(input<int>(pointers, Moe::kExperts), sorted, static_cast<int>(p_.rows()),
                                             static_cast<int>(p_.experts), tileRows);
        T* const hidden = at<T>(pointers, hiddenAt_);
        float* const products = rounding_.rounds() ? at<float>(pointers, productsAt_) : nullptr;
        GatedProduct<T, tileRows> const product{input<T>(pointers, Moe::kX),
                                                input<T>(pointers, Moe::kGate),
                                                input<T>(pointers, Moe::kUp),
                                                bias<T>(pointers, Moe::kGateBias),
                                                bias<T>(pointers, Moe::kUpBias),
                                                hidden,
                                                products,
                                                sorted,
                                                p_.size,
                                                p_.inner,
                                                static_cast<int>(p_.chosen),
                                                {layer_.activation == Moe::Activation::Silu,
                                                 static_cast<float>(layer_.limit), static_cast<float>(layer_.alpha),
                                                 static_cast<float>(layer_.beta)}};
        multiplyGated<<<gridFor(p_.inner), kThreads, 0, stream>>>(product);
        if (products != nullptr)
            roundProducts<<<gridFor(p_.inner), kThreads, 0, stream>>>(
                products, hidden, sorted, rounding_, Numbers{scaleType_, pointers.inputs[Moe::kScale]}, p_.inner);
        multiplyDown<T, tileRows><<<gridFor(p_.size), kThreads, 0, stream>>>(
            hidden, input<T>(pointers, Moe::kDown), at<float>(pointers, madeAt_), sorted, p_.inner, p_.size);
        sumUp(
            Choices<T>{input<int>(pointers, Moe::kExperts), input<T>(pointers, Moe::kScores), sorted.slots, p_.chosen},
            at<float>(pointers, madeAt_), bias<T>(pointers, Moe::kDownBias), static_cast<T*>(pointers.outputs[0]),
            {p_.tokens, p_.size}, stream);
    }

    Moe const& layer_; // owned by the engine's graph
    MoeProblem p_;
    DataType type_;
    MoeRounding rounding_;
    DataType scaleType_ = DataType::Float32; // of the given scale
    bool hasBias_[3];
    int tileRows_;
    int64_t mostTiles_;
    size_t bytes_ = 0;
    size_t rowsAt_, slotsAt_, tilesAt_, countsAt_, hiddenAt_, productsAt_, madeAt_;
};

class CudaMoe final : public Kernel {
public:
    std::string_view name() const override { return "cuda_moe"; }

    // dense, sums in float32
    Offer offer(KernelQuery const& query) const override {
        MoeProblem const problem(query.inputs);
        if (std::string const why = whyNot(problem); !why.empty()) return Offer::refuse(why);
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}};
            variant.inputs[Moe::kExperts].type = DataType::Int32;
            if (Tensor const* const scale = query.node.input(Moe::kScale))
                variant.inputs[Moe::kScale].type = scale->type;
            double const touched = static_cast<double>(std::min(problem.experts, problem.rows()));
            double const bytes =
                3 * touched * static_cast<double>(problem.size * problem.inner) * static_cast<double>(bytesOf(type, 1));
            variant.cost = kernelCost(bytes, problem.operations(), 0.3 * costs().float32) +
                           (query.node.input(Moe::kScale) ? 4 : 3) * costs().launch;
            offer.variants.push_back(std::move(variant));
        });
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        MoeProblem const problem(args.inputs);
        if (std::string const why = whyNot(problem); !why.empty())
            fail(ErrorCode::Unsupported, args.node, ": cuda_moe ", why);
        return std::make_unique<RunMoe>(args);
    }

private:
    static std::string whyNot(MoeProblem const& problem) {
        constexpr int64_t kMostColumns = int64_t{65535} * kColumns; // the grid's second extent
        if (problem.experts > kMostExperts) return text("supports ", kMostExperts, " experts, not ", problem.experts);
        if (problem.rows() > INT32_MAX / 4) return text("supports ", INT32_MAX / 4, " rows, not ", problem.rows());
        if (problem.size > kMostColumns || problem.inner > kMostColumns)
            return text("supports weights of extents up to ", kMostColumns);
        return {};
    }
};

constexpr CudaMoe kMoe;
constexpr Kernel const* kKernels[]{&kMoe};

} // namespace

KernelList moeKernels() { return {Moe::kKind, kKernels}; }

} // namespace tenon::cuda
