// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/sparse_matmul_cuda.h"

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/epilogue.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/libraries.h"
#include "backends/packed.h"
#include "base/error.h"
#include "base/parallel.h"
#include "layers/matrix_multiply/sparse_weights.h"

#include <cstring>

namespace tenon::cuda {
namespace {

constexpr int kB = 1;
constexpr int kFew = 4;    // rows up to which the weights are read as stored
constexpr int kGroups = 8; // groups of a column whose indices fill a word; a thread processes these at once
constexpr int kFour = SparseProduct::kRows;
constexpr int kKept = SparseProduct::kKept;
constexpr int64_t kWord = 16; // bytes that a thread loads at once

MatrixMultiply const& layerOf(Node const& node) { return *as<MatrixMultiply>(*node.layer); }

/// Column by column in units of 8 groups; unit `u` has the groups u, units + u, 2 units + u …, so that the threads of a
/// warp read contiguous rows of A. First the nonzero values: the first words of all units, then their second ones …;
/// then, for all columns, a word for each unit: bits 2 i and 2 i + 1 are the row of value i in its group.
struct Packing {
    SparseProduct product;
    int64_t units;   // of a column
    int64_t perWord; // numbers
    int64_t words;   // of a unit
    size_t placesAt, bytes;

    Packing(SparseProduct const& of, DataType type)
        : product(of), units((of.groups() + kGroups - 1) / kGroups),
          perWord(kWord / static_cast<int64_t>(bytesOf(type, 1))), words(kGroups * kKept / perWord),
          placesAt(static_cast<size_t>(of.n * units * words * kWord)),
          bytes(placesAt + bytesOf(DataType::Int32, of.n * units)) {}

    /// The index of a unit's value among all values.
    int64_t place(int64_t column, int64_t unit, int64_t number) const {
        return ((column * words + number / perWord) * units + unit) * perWord + number % perWord;
    }
};

std::optional<SparseProduct> productOf(Node const& node, std::span<Dims const> inputs) {
    return sparseProductOf(layerOf(node), inputs[0], inputs[kB]);
}

Packing packingOf(PrepareArgs const& args) {
    auto const product = productOf(args.node, args.inputs);
    if (!product)
        fail(ErrorCode::Unsupported, args.node, ": does not multiply rows by one matrix at ", joined(args.inputs));
    return {*product, args.variant.outputs[0].type};
}

struct Columns {
    void const* numbers;
    uint32_t const* places;
    int64_t n, k;
    int units, groups;

    Columns(Packing const& packing, void const* packed)
        : numbers(packed),
          places(reinterpret_cast<uint32_t const*>(static_cast<char const*>(packed) + packing.placesAt)),
          n(packing.product.n), k(packing.product.k), units(static_cast<int>(packing.units)),
          groups(static_cast<int>(packing.product.groups())) {}
};

/// The values of a unit, and their indices.
template <class T> struct Unit {
    static constexpr int kPerWord = kWord / sizeof(T);
    static constexpr int kWords = kGroups * kKept / kPerWord;
    Pack<T, kPerWord> words[kWords];
    uint32_t places;

    __device__ __forceinline__ Unit(Columns const& columns, int64_t column, int unit) {
        auto const* const all =
            static_cast<Pack<T, kPerWord> const*>(columns.numbers) + column * kWords * columns.units;
#pragma unroll
        for (int i = 0; i < kWords; ++i) words[i] = all[i * columns.units + unit];
        places = columns.places[column * columns.units + unit];
    }
    __device__ __forceinline__ float number(int group, int kept) const {
        int const i = group * kKept + kept;
        return toFloat(words[i / kPerWord].at[i % kPerWord]);
    }
    __device__ __forceinline__ uint32_t placesOf(int group) const { return places >> (2 * kKept * group) & 15U; }
};

/// Four numbers of a row of A, and the two of them that are multiplied.
template <class T> struct Four {
    Pack<T, kFour> all;

    __device__ __forceinline__ float2 chosen(uint32_t places) const {
        if constexpr (sizeof(T) == 2) {
            // bytes 2 p and 2 p + 1 of the eight, for both indices
            uint32_t const selector = (places & 3U) * 0x22U + (places >> 2) * 0x2200U + 0x1010U;
            uint2 bits;
            memcpy(&bits, &all, sizeof bits);
            uint32_t const both = __byte_perm(bits.x, bits.y, selector);
            T two[2];
            memcpy(two, &both, sizeof two);
            return {toFloat(two[0]), toFloat(two[1])};
        } else {
            return {at(places & 3U), at(places >> 2)};
        }
    }

private:
    __device__ __forceinline__ float at(uint32_t place) const {
        float const low = (place & 1U) != 0 ? all.at[1] : all.at[0];
        float const high = (place & 1U) != 0 ? all.at[3] : all.at[2];
        return (place & 2U) != 0 ? high : low;
    }
};

/// `isWhole`: K is a multiple of 4, so that fours may be loaded at once.
template <class T, bool isWhole> __device__ __forceinline__ Four<T> loadFour(T const* row, int group, int64_t k) {
    if constexpr (isWhole) return {reinterpret_cast<Pack<T, kFour> const*>(row)[group]};
    Four<T> four{};
    int64_t const first = int64_t{group} * kFour;
#pragma unroll
    for (int i = 0; i < kFour; ++i) {
        if (first + i < k) four.all.at[i] = row[first + i];
    }
    return four;
}

/// Y [rows,n] = A [rows,k] W: a warp processes a column for all rows, of which there are `few` or fewer.
template <class T, int few, bool isWhole>
__global__ void multiplySparse(T const* __restrict__ a, T* __restrict__ y, int rows,
                               __grid_constant__ Columns const columns,
                               __grid_constant__ EpilogueProgram const epilogue) {
    int64_t const column = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warpSize;
    if (column >= columns.n) return;
    int const lane = static_cast<int>(threadIdx.x) % warpSize;
    float sums[few] = {};
    for (int u = lane; u < columns.units; u += warpSize) {
        Unit<T> const unit(columns, column, u);
#pragma unroll
        for (int j = 0; j < kGroups; ++j) {
            int const group = j * columns.units + u;
            if (group >= columns.groups) break;
            uint32_t const places = unit.placesOf(j);
#pragma unroll
            for (int i = 0; i < few; ++i) {
                auto const four = loadFour<T, isWhole>(a + min(i, rows - 1) * columns.k, group, columns.k);
                float2 const chosen = four.chosen(places);
                sums[i] += unit.number(j, 0) * chosen.x + unit.number(j, 1) * chosen.y;
            }
        }
    }
#pragma unroll
    for (int i = 0; i < few; ++i) {
        for (int step = warpSize / 2; step > 0; step /= 2) sums[i] += __shfl_xor_sync(~0U, sums[i], step);
        if (lane != i || i >= rows) continue;
        int64_t const at = i * columns.n + column;
        float result[1]{sums[i]};
        applyEpilogue<T>(epilogue, at, result);
        y[at] = convertTo<T>(result[0]);
    }
}

/// W → [n,k] with its zeros: one thread per unit.
template <class T> __global__ void fillZeros(T* __restrict__ w, __grid_constant__ Columns const columns) {
    forEachElement(columns.n * columns.units, [&](int64_t i) {
        int64_t const column = i / columns.units;
        auto const u = static_cast<int>(i - column * columns.units);
        Unit<T> const unit(columns, column, u);
#pragma unroll
        for (int j = 0; j < kGroups; ++j) {
            int64_t const first = (int64_t{j} * columns.units + u) * kFour;
            uint32_t const places = unit.placesOf(j);
#pragma unroll
            for (uint32_t p = 0; p < kFour; ++p) {
                float const number =
                    (p == (places & 3U) ? unit.number(j, 0) : 0) + (p == places >> 2 ? unit.number(j, 1) : 0);
                if (first + p < columns.k) w[column * columns.k + first + p] = convertTo<T>(number);
            }
        }
    });
}

/// With few rows the weights are read as stored; with more rows than the engine was built for their zeros are restored
/// first, once a run.
class RunSparse final : public Executable {
public:
    explicit RunSparse(PrepareArgs const& args)
        : packing_(packingOf(args)), packed_(args.packedData), type_(args.variant.outputs[0].type),
          epilogue_(args, layerOf(args.node).epilogue, 0) {
        expectPacked(args, packing_.bytes);
        auto const& [rows, n, k, wRow, wColumn] = packing_.product;
        if (rows <= kFew) return;
        LtProduct product{.type = type_};
        product.a = {rows, k, k};
        product.b = {n, k, k, 0, true};
        product.y = {rows, n, n};
        bool const isAligned = bytesOf(type_, k) % 16 == 0 && bytesOf(type_, n) % 16 == 0;
        matmul_ = LtMatmul::make(product, isAligned ? 16 : static_cast<uint32_t>(bytesOf(type_, 1)));
        if (!matmul_) fail(ErrorCode::Unsupported, args.node, ": cuBLASLt has no kernel for ", joined(args.inputs));
    }

    size_t workspaceBytes() const override { return matmul_ ? denseBytes() + matmul_->workspaceBytes() : 0; }

    void run(Pointers const& pointers) override {
        dispatchFloat(type_,
                      [&]<class T>(TypeTag<T>) { matmul_ ? multiplyMany<T>(pointers) : multiplyFew<T>(pointers); });
        checkLaunch("multiply by sparse weights");
    }

private:
    size_t denseBytes() const { return (bytesOf(type_, packing_.product.n * packing_.product.k) + 255) / 256 * 256; }

    template <class T> void multiplyFew(Pointers const& pointers) const {
        int64_t const rows = packing_.product.rows;
        rows == 1 ? multiplyFew<T, 1>(pointers) : rows == 2 ? multiplyFew<T, 2>(pointers) : multiplyFew<T, 4>(pointers);
    }

    template <class T, int few> void multiplyFew(Pointers const& pointers) const {
        constexpr int kWarp = 32;
        auto* const kernel =
            packing_.product.k % kFour == 0 ? multiplySparse<T, few, true> : multiplySparse<T, few, false>;
        kernel<<<blocksFor(packing_.product.n * kWarp), kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]),
            static_cast<int>(packing_.product.rows), Columns(packing_, packed_), epilogue_.program(pointers));
    }

    template <class T> void multiplyMany(Pointers const& pointers) {
        auto* const dense = static_cast<char*>(pointers.workspace);
        fillZeros<T><<<blocksFor(packing_.product.n * packing_.units), kThreads, 0, streamOf(pointers.stream)>>>(
            reinterpret_cast<T*>(dense), Columns(packing_, packed_));
        matmul_->launch({pointers.inputs[0], dense, nullptr, nullptr, pointers.outputs[0], dense + denseBytes()},
                        streamOf(pointers.stream));
        epilogue_.launch(pointers);
    }

    Packing packing_;
    void const* packed_;
    DataType type_;
    EpilogueRun epilogue_;
    std::optional<LtMatmul> matmul_;
};

template <class T> void packColumn(SparseWeights const& weights, Packing const& packing, int64_t column, char* to) {
    auto* const numbers = reinterpret_cast<T*>(to);
    auto* const places = reinterpret_cast<uint32_t*>(to + packing.placesAt) + column * packing.units;
    for (int64_t group = 0; group < packing.product.groups(); ++group) {
        SparseGroup const kept = weights.group(group, column);
        int64_t const unit = group % packing.units;
        for (int64_t i = 0; i < kKept; ++i) {
            int64_t const number = group / packing.units * kKept + i;
            numbers[packing.place(column, unit, number)] = static_cast<T>(kept.values[i]);
            places[unit] |= static_cast<uint32_t>(kept.places[i]) << (2 * number);
        }
    }
}

std::string refusalOf(KernelQuery const& query, std::optional<SparseProduct> const& product) {
    constexpr int64_t kLong = 8192; // rows of W: a sum of that many is faster if it is split, as cuBLASLt does
    constexpr int64_t kMany = 512;
    std::string why = sparseRefusal(query.node, product, query.allowSparse, query.independent);
    if (why.empty()) why = EpilogueRun::refusal(layerOf(query.node).epilogue, query.inputs, query.outputs[0]);
    if (why.empty() && !cublasLtLibrary().isThere()) why = "cuBLASLt is not found";
    if (!why.empty() || query.said != nullptr) return why; // pack() checks the weights
    if (product->rows > kFew) return text("supports up to ", kFew, " rows, not ", product->rows);
    if (product->k > kLong && product->n < kMany)
        return text("requires at least ", kMany, " columns of ", product->k, " rows, not ", product->n);
    return SparseWeights(*product, *query.node.input(kB)->literal()).refusal();
}

/// Each number of A is looked up, which takes longer than reading dense weights from a cache, and with more than 2 rows
/// longer than reading any (measured on an H200): then it costs more than the dense product, which reads them once.
double costOf(KernelQuery const& query, SparseProduct const& product, Label const& label) {
    constexpr double kCached = 48 << 20; // bytes
    auto bytes = static_cast<double>(Packing(product, label.type).bytes + bytesOf(query.outputs[0], label));
    for (size_t i = 0; i < query.inputs.size(); ++i)
        bytes += i == kB ? 0 : static_cast<double>(bytesOf(query.inputs[i], label));
    auto const dense = static_cast<double>(bytesOf(query.inputs[kB], label));
    double const operations =
        2 * static_cast<double>(product.rows) * dense / static_cast<double>(bytesOf(label.type, 1));
    bool const pays = product.rows <= 2 && dense > kCached;
    constexpr double kPlain = 0.3; // of the peak
    return kernelCost(bytes + (pays ? 0 : 2 * dense), operations, kPlain * costs().float32);
}

class CudaSparseMatmul final : public Kernel {
public:
    std::string_view name() const override { return "cuda_sparse_matmul"; }

    // A in any floating point type, dense, with sums in float32; constant weights
    Offer offer(KernelQuery const& query) const override {
        auto const product = productOf(query.node, query.inputs);
        if (std::string why = refusalOf(query, product); !why.empty()) return Offer::refuse(std::move(why));
        return offerFloats(query, [&](DataType type, Offer& offer) {
            Label const label{type, {}, kCuda};
            Variant variant{
                .inputs = {query.inputs.size(), label}, .outputs = {label}, .packed = 1U << kB, .compute = type};
            variant.inputs[kB].type = query.node.input(kB)->literal()->type();
            variant.cost = costOf(query, *product, label);
            offer.variants.push_back(std::move(variant));
        });
    }

    // B [K,N] or [N,K] → columns
    Packed pack(PrepareArgs const& args) const override {
        Packing const packing = packingOf(args);
        SparseWeights const weights(packing.product, *args.node.input(kB)->literal());
        if (std::string const why = weights.refusal(); !why.empty())
            fail(ErrorCode::InvalidPlan, args.node, ": ", name(), ' ', why, "; build the engine again");
        auto const memory = allocateHost(packing.bytes);
        auto* const bytes = static_cast<char*>(memory.get());
        std::memset(bytes, 0, packing.bytes);
        dispatch(args.variant.outputs[0].type, [&]<class T>(TypeTag<T>) {
            parallelFor(packing.product.n, 1, [&](int64_t begin, int64_t end) {
                for (int64_t column = begin; column < end; ++column) packColumn<T>(weights, packing, column, bytes);
            });
        });
        return {packKey(args.variant),
                Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(packing.bytes)}, bytes, memory)};
    }
    std::string packKey(Variant const& variant) const override {
        return text("2 of 4 rows, columns ", variant.outputs[0].type);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunSparse>(args);
    }
};

constexpr CudaSparseMatmul kSparse;

} // namespace

Kernel const& sparseMatmul() { return kSparse; }

} // namespace tenon::cuda
