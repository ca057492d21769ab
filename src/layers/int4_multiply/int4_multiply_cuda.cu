// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/int4_multiply/int4_multiply.h"

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/elements.cuh"
#include "backends/cuda/launch.h"
#include "backends/cuda/libraries.h"
#include "backends/packed.h"
#include "base/error.h"

#include <cstring>

namespace tenon::cuda {
namespace {

using Weights = Int4Multiply;

constexpr int kWord = 32;   // weights of a column that a thread reads at once, in 16 bytes
constexpr int64_t kFew = 8; // rows up to which the weights are read as stored

std::optional<Int4Weights> weightsOf(Node const& node, std::span<Dims const> inputs) {
    Dims const zeros = inputs.size() > Weights::kZero ? inputs[Weights::kZero] : Dims{};
    return int4WeightsOf(*as<Int4Multiply>(*node.layer), inputs[Weights::kW], inputs[Weights::kScale], zeros);
}

/// Column by column: the integers, two per byte, each plus 8; then scales and shifts of all blocks. Real value = scale
/// · stored integer + shift.
struct Packing {
    Int4Weights weights;
    int64_t words; // of a column
    size_t scalesAt, shiftsAt, bytes;

    explicit Packing(Int4Weights const& of) : weights(of), words((of.k + kWord - 1) / kWord) {
        size_t const factors = bytesOf(DataType::Float32, of.n * of.blocks());
        scalesAt = static_cast<size_t>(of.n * words * kWord / 2);
        shiftsAt = scalesAt + factors;
        bytes = shiftsAt + factors;
    }
};

struct Columns {
    uint4 const* integers; // [n][words]
    float const* scales;   // [n][blocks]
    float const* shifts;
    int64_t n, k, words, blocks, block;

    Columns(Packing const& packing, void const* packed)
        : integers(static_cast<uint4 const*>(packed)),
          scales(reinterpret_cast<float const*>(static_cast<char const*>(packed) + packing.scalesAt)),
          shifts(reinterpret_cast<float const*>(static_cast<char const*>(packed) + packing.shiftsAt)),
          n(packing.weights.n), k(packing.weights.k), words(packing.words), blocks(packing.weights.blocks()),
          block(packing.weights.block) {}
};

/// The real values of one word: 32 weights of a column, from row `word` * 32 on; values after the last row are
/// undefined.
__device__ __forceinline__ void realWord(Columns const& columns, int64_t column, int64_t word, float (&to)[kWord]) {
    uint4 const bits = columns.integers[column * columns.words + word];
    uint32_t const parts[]{bits.x, bits.y, bits.z, bits.w};
    bool const isOneBlock = columns.block % kWord == 0;
    int64_t const first = column * columns.blocks;
    int64_t place = first + word * kWord / columns.block;
#pragma unroll
    for (int i = 0; i < kWord; ++i) {
        if (!isOneBlock) place = first + min((word * kWord + i) / columns.block, columns.blocks - 1);
        auto const integer = static_cast<float>(parts[i / 8] >> (4 * (i % 8)) & 15U);
        to[i] = columns.scales[place] * integer + columns.shifts[place];
    }
}

/// Y [few,n] = A [few,k] W: a warp processes a column for all rows.
template <class T, int few>
__global__ void multiplyFewRows(T const* __restrict__ a, T* __restrict__ y, int rows,
                                __grid_constant__ Columns const columns) {
    int64_t const column = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / warpSize;
    if (column >= columns.n) return;
    int const lane = static_cast<int>(threadIdx.x) % warpSize;
    float sums[few] = {};
    for (int64_t word = lane; word < columns.words; word += warpSize) {
        float weights[kWord];
        realWord(columns, column, word, weights);
        auto const left = static_cast<int>(min(int64_t{kWord}, columns.k - word * kWord));
#pragma unroll
        for (int r = 0; r < few; ++r) {
            T const* const row = a + min(r, rows - 1) * columns.k + word * kWord;
#pragma unroll
            for (int i = 0; i < kWord; ++i) {
                if (i < left) sums[r] += toFloat(row[i]) * weights[i];
            }
        }
    }
#pragma unroll
    for (int r = 0; r < few; ++r) {
        for (int step = warpSize / 2; step > 0; step /= 2) sums[r] += __shfl_xor_sync(~0U, sums[r], step);
        if (lane == 0 && r < rows) y[r * columns.n + column] = convertTo<T>(sums[r]);
    }
}

/// W → real [n,k]: one thread per word.
template <class T> __global__ void dequantizeWords(T* __restrict__ w, __grid_constant__ Columns const columns) {
    forEachElement(columns.n * columns.words, [&](int64_t i) {
        int64_t const column = i / columns.words;
        int64_t const word = i - column * columns.words;
        float weights[kWord];
        realWord(columns, column, word, weights);
        auto const left = static_cast<int>(min(int64_t{kWord}, columns.k - word * kWord));
        T* const to = w + column * columns.k + word * kWord;
#pragma unroll
        for (int j = 0; j < kWord; ++j) {
            if (j < left) to[j] = convertTo<T>(weights[j]);
        }
    });
}

/// With few rows the weights are read as stored; with many they are dequantized first, once a run, which takes little
/// time compared with the product.
class RunInt4 final : public Executable {
public:
    explicit RunInt4(PrepareArgs const& args)
        : packing_(*weightsOf(args.node, args.inputs)), packed_(args.packedData), type_(args.variant.outputs[0].type),
          rows_(args.outputs[0].volume() / std::max<int64_t>(packing_.weights.n, 1)) {
        expectPacked(args, packing_.bytes);
        if (rows_ <= kFew) return;
        auto const [n, k, block] = packing_.weights;
        LtProduct product{.type = type_};
        product.a = {rows_, k, k};
        product.b = {n, k, k, 0, true};
        product.y = {rows_, n, n};
        bool const isAligned = bytesOf(type_, k) % 16 == 0 && bytesOf(type_, n) % 16 == 0;
        matmul_ = LtMatmul::make(product, isAligned ? 16 : static_cast<uint32_t>(bytesOf(type_, 1)));
        if (!matmul_) fail(ErrorCode::Unsupported, args.node, ": cuBLASLt has no kernel for ", joined(args.inputs));
    }

    size_t workspaceBytes() const override { return matmul_ ? realBytes() + matmul_->workspaceBytes() : 0; }

    void run(Pointers const& pointers) override {
        if (rows_ * packing_.weights.n == 0) return;
        dispatchFloat(type_,
                      [&]<class T>(TypeTag<T>) { matmul_ ? multiplyMany<T>(pointers) : multiplyFew<T>(pointers); });
        checkLaunch("multiply by int4");
    }

private:
    size_t realBytes() const { return (bytesOf(type_, packing_.weights.n * packing_.weights.k) + 255) / 256 * 256; }

    template <class T> void multiplyFew(Pointers const& pointers) const {
        constexpr int kWarp = 32;
        auto* const kernel = rows_ == 1   ? multiplyFewRows<T, 1>
                             : rows_ <= 4 ? multiplyFewRows<T, 4>
                                          : multiplyFewRows<T, static_cast<int>(kFew)>;
        kernel<<<blocksFor(packing_.weights.n * kWarp), kThreads, 0, streamOf(pointers.stream)>>>(
            static_cast<T const*>(pointers.inputs[0]), static_cast<T*>(pointers.outputs[0]), static_cast<int>(rows_),
            Columns(packing_, packed_));
    }

    template <class T> void multiplyMany(Pointers const& pointers) {
        auto* const real = static_cast<char*>(pointers.workspace);
        dequantizeWords<T><<<blocksFor(packing_.weights.n * packing_.words), kThreads, 0, streamOf(pointers.stream)>>>(
            reinterpret_cast<T*>(real), Columns(packing_, packed_));
        matmul_->launch({pointers.inputs[0], real, nullptr, nullptr, pointers.outputs[0], real + realBytes()},
                        streamOf(pointers.stream));
    }

    Packing packing_;
    void const* packed_;
    DataType type_;
    int64_t rows_;
    std::optional<LtMatmul> matmul_;
};

class CudaInt4Multiply final : public Kernel {
public:
    std::string_view name() const override { return "cuda_int4_multiply"; }

    // A in any floating point type, dense; constant weights
    Offer offer(KernelQuery const& query) const override {
        Node const& node = query.node;
        if (!cublasLtLibrary().isThere()) return Offer::refuse("cuBLASLt is not found");
        for (size_t i = Weights::kW; i < node.inputs().size(); ++i) {
            if (node.inputs()[i] && !node.inputs()[i]->literal()) return Offer::refuse("requires constant weights");
        }
        auto const weights = weightsOf(node, query.inputs);
        if (!weights || weights->k == 0)
            return Offer::refuse("requires scales of several weights of a column, and zero points like them");
        return offerFloats(query, [&](DataType type, Offer& offer) {
            offer.variants.push_back(variantOf(query, *weights, {type, {}, kCuda}));
        });
    }

    // W [K,N] or [N,K] int4, scales, zero points → columns
    Packed pack(PrepareArgs const& args) const override {
        auto const constant = [&](int input) {
            Tensor const* const tensor = args.node.input(input);
            return tensor ? tensor->literal() : nullptr;
        };
        Int4Reader const reader(*as<Int4Multiply>(*args.node.layer), *constant(Weights::kW), *constant(Weights::kScale),
                                constant(Weights::kZero));
        Packing const packing(reader.weights());
        auto const memory = allocateHost(packing.bytes);
        std::memset(memory.get(), 0, packing.bytes);
        for (int64_t column = 0; column < packing.weights.n; ++column)
            packColumn(reader, packing, column, static_cast<char*>(memory.get()));
        auto const bytes = static_cast<int64_t>(packing.bytes);
        return {packKey(args.variant), Literal::borrowed(DataType::UInt8, {bytes}, memory.get(), memory)};
    }
    std::string packKey(Variant const&) const override { return "columns of int4"; }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunInt4>(args);
    }

private:
    static void packColumn(Int4Reader const& reader, Packing const& packing, int64_t column, char* to) {
        constexpr int kZeroNibble = 8;
        Int4Weights const& weights = packing.weights;
        char* const integers = to + column * packing.words * kWord / 2;
        for (int64_t k = 0; k < weights.k; ++k) {
            auto const nibble = static_cast<unsigned>(reader.integer(k, column) + kZeroNibble) << (k % 2 * 4);
            integers[k / 2] = static_cast<char>(static_cast<unsigned char>(integers[k / 2]) | nibble);
        }
        for (int64_t block = 0; block < weights.blocks(); ++block) {
            float const scale = reader.scale(block, column);
            float const shift = -scale * (reader.zero(block, column) + kZeroNibble);
            auto const at = static_cast<size_t>(column * weights.blocks() + block) * sizeof(float);
            std::memcpy(to + packing.scalesAt + at, &scale, sizeof scale);
            std::memcpy(to + packing.shiftsAt + at, &shift, sizeof shift);
        }
    }

    static Variant variantOf(KernelQuery const& query, Int4Weights const& weights, Label const& label) {
        Variant variant{.inputs = {label}, .outputs = {label}, .compute = label.type};
        for (size_t i = Weights::kW; i < query.node.inputs().size(); ++i) {
            Tensor const* const input = query.node.inputs()[i];
            variant.inputs.push_back({input ? input->type : DataType::Int4, {}, kCuda});
            if (input) variant.packed |= 1U << i;
        }
        double const rows =
            static_cast<double>(query.outputs[0].volume()) / static_cast<double>(std::max<int64_t>(weights.n, 1));
        double const elements = static_cast<double>(weights.n) * static_cast<double>(weights.k);
        double bytes = static_cast<double>(bytesOf(query.inputs[0], label) + bytesOf(query.outputs[0], label));
        bytes += elements * (rows <= kFew ? 0.5 : 0.5 + 2 * static_cast<double>(bytesOf(label.type, 1)));
        variant.cost = kernelCost(bytes, 2 * rows * elements, 0.4 * costs().peak(label.type));
        return variant;
    }
};

constexpr CudaInt4Multiply kInt4;
constexpr Kernel const* kKernels[]{&kInt4};

} // namespace

KernelList int4MultiplyKernels() { return {Int4Multiply::kKind, kKernels}; }

} // namespace tenon::cuda
