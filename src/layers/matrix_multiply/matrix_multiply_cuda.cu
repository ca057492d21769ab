// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "backends/cuda/cublas_lt.h"
#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/status.h"
#include "backends/each_batch.h"
#include "backends/packed.h"
#include "layers/matrix_multiply/int8_matmul_cuda.h"
#include "layers/matrix_multiply/matmul_plan_cuda.h"
#include "layers/matrix_multiply/sparse_matmul_cuda.h"

#include <algorithm>
#include <numeric>

namespace tenon::cuda {
namespace {

constexpr int kB = 1;

Stack stackOf(MatrixProduct const& product) {
    Stack stack{product, {}};
    Dims const y = rowMajorStrides(product.batch);
    for (int i = 0; i < product.batch.rank(); ++i) {
        int64_t const extent = product.batch[i];
        if (extent == 1) continue;
        Stack::Axis const axis{extent, product.aBatch[i], product.bBatch[i], y[i] * product.m * product.n};
        bool const continues =
            !stack.axes.empty() && stack.axes.back().a == extent * axis.a && stack.axes.back().b == extent * axis.b;
        if (continues)
            stack.axes.back() = {extent * stack.axes.back().extent, axis.a, axis.b, axis.y};
        else
            stack.axes.push_back(axis);
    }
    MatrixProduct& m = stack.matrix;
    // matrices of A that are contiguous and share a B are one matrix
    while (!stack.axes.empty() && stack.axes.back().b == 0 && m.aColumn == 1 && stack.axes.back().a == m.m * m.aRow) {
        m.m *= stack.axes.back().extent;
        stack.axes.pop_back();
    }
    return stack;
}

/// Sets the strides of B as pack() writes it: […,N,K], so that K is contiguous.
void liesPacked(MatrixProduct& product) {
    product.bRow = 1;
    product.bColumn = product.k;
}

Stack stackOf(PrepareArgs const& args) {
    MatrixProduct product = productOf(*as<MatrixMultiply>(*args.node.layer), args.inputs[0], args.inputs[1]);
    if (args.variant.isPacked()) liesPacked(product);
    return stackOf(product);
}

Epilogue const& epilogueOf(Node const& node) { return as<MatrixMultiply>(*node.layer)->epilogue; }

LtMatrix matrixOf(int64_t rows, int64_t columns, int64_t rowStride, int64_t columnStride) {
    if (columnStride == 1 && rowStride >= columns) return {rows, columns, rowStride};
    return {columns, rows, columnStride, 0, true};
}

class RunCublasLt final : public Executable {
public:
    RunCublasLt(Stack const& stack, PrepareArgs const& args) : operands_(args), type_(args.variant.outputs[0].type) {
        MatrixProduct const& p = stack.matrix;
        LtProduct product{.type = type_, .tf32 = (args.variant.tactic & kTf32) != 0};
        product.a = matrixOf(p.m, p.k, p.aRow, p.aColumn);
        product.b = matrixOf(p.k, p.n, p.bRow, p.bColumn);
        product.y = {p.m, p.n, p.n};
        takeAxes(stack, product);
        choose(product, args);
    }

    size_t workspaceBytes() const override { return matmul_->workspaceBytes(); }

    void run(Pointers const& pointers) override {
        auto const input = [&](int i) { return i < 0 ? nullptr : pointers.inputs[i]; };
        cudaStream_t const stream = streamOf(pointers.stream);
        Dims index = Dims::filled(outer_.rank(), 0);
        do {
            LtPointers at{operands_.a(pointers), operands_.b(pointers), input(fused_.addend),
                          input(fused_.bias),    pointers.outputs[0],   pointers.workspace};
            for (int i = 0; i < index.rank(); ++i) {
                advance(at.a, index[i] * aStrides_[i]);
                advance(at.b, index[i] * bStrides_[i]);
                advance(at.y, index[i] * yStrides_[i]);
                if (at.addend != nullptr) advance(at.addend, index[i] * yStrides_[i]);
            }
            matmul_->launch(at, stream);
        } while (nextIndex(index, outer_));
        rest_->launch(pointers);
    }

    // A tactic's lowest bit says whether float32 factors may be rounded, the rest, except kEachBatch, is the index of
    // cuBLASLt's kernel.
    static constexpr int64_t kTf32 = 1;
    static int64_t tacticOf(int choice, int64_t flags) { return int64_t{choice} * 2 + flags; }
    static int choiceOf(int64_t tactic) { return static_cast<int>((tactic & ~kEachBatch) / 2); }

private:
    /// The longest batch axis is cuBLASLt's batch; the others take several launches.
    void takeAxes(Stack const& stack, LtProduct& product) {
        auto const longest = std::ranges::max_element(stack.axes, {}, &Stack::Axis::extent);
        auto const bytes = static_cast<int64_t>(bytesOf(type_, 1));
        for (auto axis = stack.axes.begin(); axis != stack.axes.end(); ++axis) {
            alignment_ = std::gcd(alignment_, std::gcd(std::gcd(axis->a, axis->b), axis->y) * bytes);
            if (axis == longest) {
                product.batch = axis->extent;
                product.a.batchPitch = axis->a;
                product.b.batchPitch = axis->b;
                product.y.batchPitch = axis->y;
                continue;
            }
            outer_.push(axis->extent);
            aStrides_.push(axis->a * bytes);
            bStrides_.push(axis->b * bytes);
            yStrides_.push(axis->y * bytes);
        }
    }

    /// Chooses a product with the fused steps if cuBLASLt has one, else without steps.
    void choose(LtProduct const& product, PrepareArgs const& args) {
        auto const alignment = static_cast<uint32_t>(alignment_);
        int const choice = std::clamp(choiceOf(args.variant.tactic), 0, LtMatmul::kChoices - 1); // from a plan
        fused_ = ltEpilogue(args, epilogueOf(args.node), product);
        LtProduct whole = product;
        whole.alpha = fused_.alpha;
        whole.hasBias = fused_.bias >= 0;
        whole.hasAddend = fused_.addend >= 0;
        whole.activation = fused_.activation;
        matmul_ = LtMatmul::make(whole, alignment, choice);
        if (!matmul_ && fused_.steps > 0) {
            fused_ = {};
            matmul_ = LtMatmul::make(product, alignment, choice);
        }
        if (!matmul_)
            fail(ErrorCode::Unsupported, args.node, ": cuBLASLt has no kernel for inputs ", joined(args.inputs), " of ",
                 type_);
        rest_.emplace(args, epilogueOf(args.node), fused_.steps);
    }

    template <class Pointer> static void advance(Pointer*& pointer, int64_t bytes) {
        using Byte = std::conditional_t<std::is_const_v<Pointer>, char const, char>;
        pointer = static_cast<Byte*>(pointer) + bytes;
    }

    Operands operands_;
    DataType type_;
    int64_t alignment_ = kWord;           // of all pointers, in bytes
    Dims outer_;                          // launches
    Dims aStrides_, bStrides_, yStrides_; // between launches, in bytes
    LtEpilogue fused_;
    std::optional<LtMatmul> matmul_;
    std::optional<EpilogueRun> rest_;
};

/// A product with K = 0: zeros, then the epilogue.
class RunZero final : public Executable {
public:
    explicit RunZero(PrepareArgs const& args)
        : epilogue_(args, epilogueOf(args.node), 0), label_(args.variant.outputs[0]), dims_(args.outputs[0]) {}

    void run(Pointers const& pointers) override {
        if (dims_.volume() == 0) return;
        cudaStream_t const stream = streamOf(pointers.stream);
        check(cudaMemsetAsync(pointers.outputs[0], 0, bytesOf(dims_, label_), stream), "cudaMemsetAsync");
        epilogue_.launch(pointers);
    }

private:
    EpilogueRun epilogue_;
    Label label_;
    Dims dims_;
};

double operationsOf(KernelQuery const& query) {
    MatrixProduct const p = productOf(*as<MatrixMultiply>(*query.node.layer), query.inputs[0], query.inputs[1]);
    return 2.0 * static_cast<double>(p.batch.volume() * p.m * p.n) * static_cast<double>(p.k);
}

double costOf(KernelQuery const& query, Label const& label, bool tf32) {
    double bytes = static_cast<double>(bytesOf(query.outputs[0], label));
    for (Dims const& input : query.inputs) bytes += static_cast<double>(bytesOf(input, label));
    constexpr double kPlain = 0.6; // of the peak
    constexpr double kTf32 = 0.38;
    constexpr double k16Bits = 0.42;
    Costs const& gpu = costs();
    double const speed = label.type != DataType::Float32 ? k16Bits * gpu.peak(label.type)
                                                         : (tf32 ? kTf32 * gpu.tf32 : kPlain * gpu.float32);
    return kernelCost(bytes, operationsOf(query), speed);
}

/// Of B in the order of pack(): each matrix […,rows,columns] → […,columns,rows].
Dims packedStrides(MatrixMultiply const& layer, Dims const& b) {
    Dims strides = rowMajorStrides(b);
    if (layer.b != MatrixOperation::None) return strides;
    strides[b.rank() - 2] = 1;
    strides[b.rank() - 1] = b[b.rank() - 2];
    return strides;
}

class CublasLtMatmul final : public Kernel {
public:
    std::string_view name() const override { return "cublaslt_matmul"; }

    // dense; float32, float16 and bfloat16 with sums in float32
    Offer offer(KernelQuery const& query) const override {
        if (!cublasLtLibrary().isThere()) return Offer::refuse("cuBLASLt is not found");
        std::string why = EpilogueRun::refusal(epilogueOf(query.node), query.inputs, query.outputs[0]);
        if (!why.empty()) return Offer::refuse(std::move(why));
        Literal const* const b = query.node.input(kB)->literal();
        return offerFloats(query, [&](DataType type, Offer& offer) {
            bool const tf32 = type == DataType::Float32 && query.allowTf32;
            Label const label{type, Format::linear(), kCuda};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}, .compute = type};
            variant.cost = costOf(query, label, tf32);
            variant.tactic = (tf32 ? RunCublasLt::kTf32 : 0) + (query.independent ? kEachBatch : 0);
            if (b != nullptr && (!query.independent || isOne(query))) {
                variant.packed = 1U << kB;
                variant.inputs[kB].type = b->type();
            }
            offer.variants.push_back(variant);
        });
    }

    std::vector<int64_t> tactics(Variant const& variant) const override {
        std::vector<int64_t> all;
        for (int choice = 0; choice < LtMatmul::kChoices; ++choice)
            all.push_back(RunCublasLt::tacticOf(choice, variant.tactic & (RunCublasLt::kTf32 | kEachBatch)));
        return all;
    }

    Packed pack(PrepareArgs const& args) const override {
        Literal const& b = *args.node.input(kB)->literal();
        StridedWeights weights(args.variant.outputs[0].type);
        weights.add(b, packedStrides(*as<MatrixMultiply>(*args.node.layer), b.dims()));
        return std::move(weights).finish(packKey(args.variant), packedBytes(args));
    }
    std::string packKey(Variant const& variant) const override { return text("columns ", variant.outputs[0].type); }
    static size_t packedBytes(PrepareArgs const& args) {
        return bytesOf(args.variant.outputs[0].type, args.inputs[kB].volume());
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        if ((args.variant.tactic & kEachBatch) == 0) return prepareProducts(args);
        auto const& layer = *as<MatrixMultiply>(*args.node.layer);
        return prepareEach(args, partOf(layer, args.inputs, args.outputs[0]), prepareProducts);
    }

private:
    /// Whether there is one B for all of the batch.
    static bool isOne(KernelQuery const& query) {
        auto const& layer = *as<MatrixMultiply>(*query.node.layer);
        return partOf(layer, query.inputs, query.outputs[0]).inputs[kB] == query.inputs[kB];
    }

    static std::unique_ptr<Executable> prepareProducts(PrepareArgs const& args) {
        if (args.variant.isPacked()) expectPacked(args, packedBytes(args));
        Stack const stack = stackOf(args);
        if (stack.matrix.k == 0 || args.outputs[0].volume() == 0) return std::make_unique<RunZero>(args);
        if (auto few = makeFewRows(stack, args)) return few;
        return std::make_unique<RunCublasLt>(stack, args);
    }
};

class CudaIntegerMatmul final : public Kernel {
public:
    std::string_view name() const override { return "cuda_integer_matmul"; }

    // dense
    Offer offer(KernelQuery const& query) const override {
        Tensor const& a = *query.node.input(0);
        if (!isInteger(a.type)) return Offer::refuse(text("supports integers, not ", a.type));
        if (!epilogueOf(query.node).empty()) return Offer::refuse("does not support an epilogue");
        Label const label{a.type, Format::linear(), kCuda};
        double const speed = 0.015 * costs().float32; // no operand is reused from a cache
        Variant variant{.inputs = {label, label}, .outputs = {label}, .compute = a.type};
        variant.cost = kernelCost(static_cast<double>(bytesOf(query.outputs[0], label)), operationsOf(query), speed);
        return {{variant}, {}};
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override { return makeIntegerMatmul(args); }
};

constexpr CublasLtMatmul kCublasLt;
constexpr CudaIntegerMatmul kIntegers;

} // namespace

KernelList matrixMultiplyKernels() {
    static Kernel const* const all[]{&sparseMatmul(), &cublasLtInt8Matmul(), &kCublasLt, &kIntegers};
    return {MatrixMultiply::kKind, all};
}

} // namespace tenon::cuda
