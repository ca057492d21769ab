// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/int8_matmul_cuda.h"

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/epilogue.cuh"
#include "backends/cuda/int8_labels.h"
#include "backends/cuda/launch.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/scales.cuh"
#include "backends/cuda/status.h"
#include "backends/cuda/strided_copy.h"
#include "backends/cuda/workspace_parts.h"
#include "backends/packed.h"
#include "base/error.h"
#include "base/quantize.h"
#include "layers/matrix_multiply/matrix_multiply.h"
#include "layers/quanta.h"

#include <cstring>

namespace tenon::cuda {
namespace {

constexpr int kA = 0;
constexpr int kB = 1;
constexpr int64_t kTogether = 16; // elements that tensor cores read at a time

MatrixMultiply const& layerOf(Node const& node) { return *as<MatrixMultiply>(*node.layer); }

/// For B, whose other axis is that of a column's elements; all axes before these have extent 1.
int columnAxis(MatrixMultiply const& layer, int rank) { return rank - (layer.b == MatrixOperation::Transpose ? 2 : 1); }
int columnAxis(Node const& node) { return columnAxis(layerOf(node), static_cast<int>(node.input(kB)->shape.size())); }

int64_t padded(int64_t extent) { return (extent + kTogether - 1) / kTogether * kTogether; }

/// Y [rows,n] = A [rows,k] B, B packed as [n padded,k padded] int8, followed for each column by the real value of 1 and
/// the constant that A's zero point adds to its sums.
struct Int8Rows {
    int64_t rows, n, k;
    size_t factorsAt, shiftsAt, packedBytes;

    explicit Int8Rows(MatrixMultiply const& layer, Dims const& a, Dims const& b)
        : n(b[columnAxis(layer, b.rank())]), k(b[2 * b.rank() - 3 - columnAxis(layer, b.rank())]) {
        rows = a.volume() / std::max<int64_t>(k, 1);
        factorsAt = static_cast<size_t>(padded(n) * padded(k));
        shiftsAt = factorsAt + bytesOf(DataType::Float32, padded(n));
        packedBytes = shiftsAt + bytesOf(DataType::Int32, padded(n));
    }
    explicit Int8Rows(PrepareArgs const& args) : Int8Rows(layerOf(args.node), args.inputs[kA], args.inputs[kB]) {}

    size_t sumCount() const { return static_cast<size_t>(rows * padded(n)); }
    /// Of A, if it is copied into rows of whole words.
    size_t copiedBytes() const { return padded(k) == k ? 0 : static_cast<size_t>(rows * padded(k)); }
};

struct Int8Workspace {
    int32_t* sums = nullptr;
    int8_t* rows = nullptr; // A, if it is copied
    std::byte* product = nullptr;
    size_t bytes;

    Int8Workspace(void* memory, Int8Rows const& shape, size_t productBytes) {
        WorkspaceParts parts(memory);
        parts.take(sums, shape.sumCount());
        parts.take(rows, shape.copiedBytes());
        parts.take(product, productBytes);
        bytes = parts.bytes();
    }
};

struct Sweep {
    int32_t const* sums; // [rows,pitch]
    float const* factors;
    int32_t const* shifts;
    int64_t pitch, n, count;
    Scales stored; // the conversion to Y's label
};

/// Sums [rows,pitch] → Y [rows,n], `lanes` elements of a row per thread.
template <class Y, int lanes>
__global__ void finishSums(Y* __restrict__ y, Sweep const sweep, __grid_constant__ EpilogueProgram const epilogue) {
    forEachElement(sweep.count / lanes, [&](int64_t i) {
        int64_t const first = i * lanes;
        int64_t const row = first / sweep.n;
        int64_t const column = first - row * sweep.n;
        auto const sums = *reinterpret_cast<Pack<int32_t, lanes> const*>(sweep.sums + row * sweep.pitch + column);
        float x[lanes];
#pragma unroll
        for (int v = 0; v < lanes; ++v)
            x[v] = static_cast<float>(sums.at[v] - sweep.shifts[column + v]) * sweep.factors[column + v];
        applyEpilogue<float>(epilogue, first, x);
        Pack<Y, lanes> pack;
#pragma unroll
        for (int v = 0; v < lanes; ++v) pack.at[v] = sweep.stored.convert<Y>(x[v]);
        *reinterpret_cast<Pack<Y, lanes>*>(y + first) = pack;
    });
}

class RunInt8Matmul final : public Executable {
public:
    explicit RunInt8Matmul(PrepareArgs const& args)
        : rows_(args), y_(args.variant.outputs[0]), packed_(static_cast<char const*>(args.packedData)),
          epilogue_(args, layerOf(args.node).epilogue, 0) {
        expectPacked(args, rows_.packedBytes);
        if (rows_.rows * rows_.n == 0) return;
        LtProduct product{.type = DataType::Int8};
        product.a = {rows_.rows, padded(rows_.k), padded(rows_.k)};
        product.b = {padded(rows_.n), padded(rows_.k), padded(rows_.k), 0, true};
        product.y = {rows_.rows, padded(rows_.n), padded(rows_.n)};
        if (rows_.copiedBytes() != 0)
            padding_.emplace(StridedCopy{DataType::Int8, {rows_.rows, rows_.k}, {rows_.k, 1}, {padded(rows_.k), 1}});
        matmul_ = LtMatmul::make(product);
        if (!matmul_)
            fail(ErrorCode::Unsupported, args.node, ": cuBLASLt has no kernel for inputs ", joined(args.inputs),
                 " of int8");
    }

    size_t workspaceBytes() const override { return matmul_ ? workspaceAt(nullptr).bytes : 0; }

    void run(Pointers const& pointers) override {
        if (!matmul_) return;
        Int8Workspace const at = workspaceAt(pointers.workspace);
        if (padding_) pad(pointers, at.rows);
        void const* const a = padding_ ? at.rows : pointers.inputs[kA];
        matmul_->launch({a, packed_, nullptr, nullptr, at.sums, at.product}, streamOf(pointers.stream));
        dispatchKept(y_.type, [&]<class Y>(TypeTag<Y>) { finish<Y>(pointers); });
    }

private:
    Int8Workspace workspaceAt(void* memory) const { return {memory, rows_, matmul_->workspaceBytes()}; }

    /// Copies A into rows of whole words; the padding of each is multiplied by zeros.
    void pad(Pointers const& pointers, void* to) const {
        check(cudaMemsetAsync(to, 0, rows_.copiedBytes(), streamOf(pointers.stream)), "cudaMemsetAsync");
        padding_->launch(pointers.inputs[kA], to, pointers.stream);
    }

    template <class Y> void finish(Pointers const& pointers) {
        Sweep const sweep{static_cast<int32_t const*>(pointers.workspace),
                          reinterpret_cast<float const*>(packed_ + rows_.factorsAt),
                          reinterpret_cast<int32_t const*>(packed_ + rows_.shiftsAt),
                          padded(rows_.n),
                          rows_.n,
                          rows_.rows * rows_.n,
                          Scales({DataType::Float32, {}, kCuda}, y_)};
        auto* const y = static_cast<Y*>(pointers.outputs[0]);
        bool const isWide = rows_.n % 4 == 0 && reinterpret_cast<uintptr_t>(y) % (4 * sizeof(Y)) == 0;
        auto* const kernel = isWide ? finishSums<Y, 4> : finishSums<Y, 1>;
        kernel<<<blocksFor(sweep.count / (isWide ? 4 : 1)), kThreads, 0, streamOf(pointers.stream)>>>(
            y, sweep, epilogue_.program(pointers));
        checkLaunch("finishing a product of int8");
    }

    Int8Rows rows_;
    Label y_;
    char const* packed_;
    EpilogueRun epilogue_;
    std::optional<StridedCopier> padding_;
    std::optional<LtMatmul> matmul_;
};

std::string refusal(KernelQuery const& query) {
    Node const& node = query.node;
    auto const& layer = layerOf(node);
    Tensor const& a = *node.input(kA);
    Tensor const& b = *node.input(kB);
    if (!query.mayBeInt8(a)) return "requires an input that is quantized, or has a range if int8 is allowed";
    if (!cublasLtLibrary().isThere()) return "cuBLASLt is not found";
    Dims const& matrices = query.inputs[kB];
    bool const areRows = layer.a == MatrixOperation::None && layer.b != MatrixOperation::Vector &&
                         matrices.volume(0, matrices.rank() - 2) == 1;
    if (!areRows) return "supports rows times one matrix";
    if (!hasWeightScales(b, columnAxis(node), !a.quantum.isExact))
        return "requires a constant that is quantized by column";
    return EpilogueRun::refusal(layer.epilogue, query.inputs, query.outputs[0]);
}

class CublasLtInt8Matmul final : public Kernel {
public:
    std::string_view name() const override { return "cublaslt_int8_matmul"; }

    // A in int8, dense; Y in int8 or any floating point type that is allowed
    Offer offer(KernelQuery const& query) const override {
        if (std::string why = refusal(query); !why.empty()) return Offer::refuse(std::move(why));
        Tensor const& output = *query.node.output();
        std::vector<Label> labels;
        for (DataType const type : query.typesOf(output)) labels.push_back({type, {}, kCuda});
        if (query.mayBeInt8(output)) labels.push_back(int8Label(output, {}));
        Offer offer;
        for (Label const& y : labels) offer.variants.push_back(variantOf(query, y));
        return offer;
    }

    // B [k,n] or [n,k] → [n padded,k padded] int8, factors [n padded] float32, shifts [n padded] int32
    Packed pack(PrepareArgs const& args) const override {
        Int8Rows const rows(args);
        Tensor const& weights = *args.node.input(kB);
        int const axis = columnAxis(args.node);
        auto scales = weightScales(weights, axis, true);
        auto const memory = allocateHost(rows.packedBytes);
        auto* const bytes = static_cast<int8_t*>(memory.get());
        std::memset(bytes, 0, rows.packedBytes);
        auto const values = weights.literal()->as<float>();
        std::vector<int32_t> shifts(scales.size(), 0);
        bool const isByColumn = layerOf(args.node).b == MatrixOperation::Transpose;
        for (int64_t i = 0; i < rows.n * rows.k; ++i) {
            int64_t const column = isByColumn ? i / rows.k : i % rows.n;
            int64_t const row = isByColumn ? i % rows.k : i / rows.n;
            auto const at = static_cast<size_t>(column);
            int8_t const weight = quantize(values[static_cast<size_t>(i)], scales[at]);
            bytes[column * padded(rows.k) + row] = weight;
            shifts[at] += weight * args.variant.inputs[kA].zero;
        }
        for (float& scale : scales) scale *= args.variant.inputs[kA].scale;
        std::memcpy(bytes + rows.factorsAt, scales.data(), scales.size() * sizeof(float));
        std::memcpy(bytes + rows.shiftsAt, shifts.data(), shifts.size() * sizeof(int32_t));
        return {packKey(args.variant),
                Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(rows.packedBytes)}, memory.get(), memory)};
    }
    std::string packKey(Variant const& variant) const override {
        return text("int8 columns, shifts ", variant.inputs[kA]);
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunInt8Matmul>(args);
    }

private:
    static Variant variantOf(KernelQuery const& query, Label const& y) {
        Node const& node = query.node;
        Variant variant{.inputs = {int8Label(*node.input(kA), {}), {DataType::Float32, {}, kCuda}},
                        .outputs = {y},
                        .packed = 1U << kB,
                        .compute = DataType::Int8};
        while (variant.inputs.size() < node.inputs().size()) variant.inputs.push_back({DataType::Float32, {}, kCuda});
        Int8Rows const rows(layerOf(node), query.inputs[kA], query.inputs[kB]);
        double const operations = 2.0 * static_cast<double>(rows.rows * rows.n) * static_cast<double>(rows.k);
        auto bytes = static_cast<double>(bytesOf(query.outputs[0], y) + rows.packedBytes +
                                         2 * rows.sumCount() * sizeof(int32_t) + 2 * rows.copiedBytes());
        bytes += static_cast<double>(query.inputs[kA].volume());
        constexpr double kOfPeak = 0.4;
        variant.cost = kernelCost(bytes, operations, kOfPeak * costs().int8) + costs().launch;
        return variant;
    }
};

} // namespace

Kernel const& cublasLtInt8Matmul() {
    static constexpr CublasLtInt8Matmul kernel;
    return kernel;
}

} // namespace tenon::cuda
