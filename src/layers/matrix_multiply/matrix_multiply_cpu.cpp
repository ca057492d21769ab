// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/through_float.h"
#include "backends/each_batch.h"
#include "layers/matrix_multiply/direct_matmul_cpu.h"
#include "layers/matrix_multiply/matmul_shapes_cpu.h"
#include "layers/matrix_multiply/onednn_int8_matmul_cpu.h"
#include "layers/matrix_multiply/sparse_matmul_cpu.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using dnnl::memory;

constexpr int kB = 1;

MatrixProduct productOf(PrepareArgs const& args) {
    return tenon::productOf(*as<MatrixMultiply>(*args.node.layer), args.inputs[0], args.inputs[1]);
}

struct Made : DnnlProduct {
    memory::desc b; // as in the node's input
};

/// nullopt if oneDNN has no implementation for these labels.
std::optional<Made> make(PrepareArgs const& args, MatmulShapes const& shapes) {
    auto const& layer = *as<MatrixMultiply>(*args.node.layer);
    if (!isCounted(shapes.a) || !isCounted(shapes.b) || !isCounted(shapes.y)) return std::nullopt;
    PrepareArgs const against{args.node, args.variant, shapes.inputs, std::span(&shapes.output, 1), nullptr};
    auto epilogue = dnnlEpilogue(against, layer.epilogue);
    if (!epilogue) return std::nullopt;
    auto const type = toDnnl(args.variant.inputs[0].type);
    memory::desc const a(shapes.a, type, shapes.aStrides);
    bool const packed = args.variant.packed != 0; // from float32
    memory::desc const b(shapes.b, packed ? memory::data_type::f32 : type, shapes.bStrides);
    memory::desc const anyB = shapes.packedB(type);
    memory::desc const y(shapes.y, type, shapes.yStrides);
    try {
        return Made{{describeMatmul(a, packed ? anyB : b, {}, y, epilogue->attributes), *epilogue}, b};
    } catch (dnnl::error const&) {
        return std::nullopt;
    }
}

std::optional<Made> make(PrepareArgs const& args) { return make(args, matmulShapes(args, productOf(args))); }

double costOf(KernelQuery const& query, Variant const& variant, MatrixProduct const& product) {
    double const flops = 2.0 * static_cast<double>(product.batch.volume() * product.m * product.n * product.k);
    size_t const bytes = bytesOf(query.inputs[0], variant.inputs[0]) + bytesOf(query.inputs[1], variant.inputs[1]) +
                         bytesOf(query.outputs[0], variant.outputs[0]);
    double const speed = backend().costs().peak(variant.compute);
    return 1500 + flops / speed + 0.2 * memoryCost(static_cast<double>(bytes));
}

class OneDnnMatmul final : public Kernel {
public:
    std::string_view name() const override { return "onednn_matmul"; }

    // float32 and bfloat16, dense
    Offer offer(KernelQuery const& query) const override {
        auto const& layer = *as<MatrixMultiply>(*query.node.layer);
        bool const vector = layer.a == MatrixOperation::Vector || layer.b == MatrixOperation::Vector;
        if (vector && query.inputs.size() > MatrixMultiply::kFirstExtra)
            return Offer::refuse("does not support epilogue operands with vectors");
        for (Dims const& dims : query.inputs) {
            if (dims.volume() == 0) return Offer::refuse("does not support empty tensors");
        }
        bool const isOurs = mayLeaveToOwn(query) && directMatmulRefusal(query).empty();
        bool isLeft = false;
        Offer offer = offerFloats(query, [&](DataType type, Offer& offer) {
            DataType const compute = computeTypeOf(type);
            bool const isTaken = compute == DataType::Float32 || directMatmulTakesPairs(query);
            if (isOurs && isTaken) return void(isLeft = true);
            Label const label{compute, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}, .compute = compute};
            if (query.independent) variant.tactic = kEachBatch;
            BatchPart const one = partOf(layer, query.inputs, query.outputs[0]);
            Literal const* const b = query.node.input(kB)->literal();
            if (b != nullptr && (!query.independent || one.inputs[kB] == query.inputs[kB])) {
                variant.packed = 1U << kB;
                variant.inputs[kB].type = b->type();
            }
            PrepareArgs const whole{query.node, variant, query.inputs, query.outputs, nullptr};
            PrepareArgs const args = query.independent ? ofPart(whole, one) : whole;
            auto const made = make(args);
            if (!made || made->is("ref")) return;
            variant.cost = costOf(query, variant, productOf(args)) +
                           finishingCost(args, layer.epilogue.size() - made->epilogue.steps);
            offer.variants.push_back(storedAs(type, query, variant));
        });
        if (offer.variants.empty() && isLeft)
            offer.refusal = kLeftToOwn;
        else if (offer.variants.empty())
            offer.refusal = text("has no fast implementation for ", query.node.input(0)->type);
        return offer;
    }

    Packed pack(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] {
            DnnlWeights weights;
            Variant const variant = inFloat(args.variant);
            PrepareArgs const whole{args.node, variant, args.inputs, args.outputs, nullptr};
            BatchPart const one = partOf(*as<MatrixMultiply>(*args.node.layer), args.inputs, args.outputs[0]);
            auto const made = existing((variant.tactic & kEachBatch) != 0 ? ofPart(whole, one) : whole);
            weights.add(*args.node.input(kB)->literal(), made.b, made.weights());
            return std::move(weights).finish();
        });
    }
    std::string packKey(Variant const&) const override { return dnnlPackKey(); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return throughFloat(args, prepareInFloat); });
    }

private:
    static std::unique_ptr<Executable> prepareInFloat(PrepareArgs const& args) {
        if ((args.variant.tactic & kEachBatch) == 0) return prepareProducts(args);
        auto const& layer = *as<MatrixMultiply>(*args.node.layer);
        return prepareEach(args, partOf(layer, args.inputs, args.outputs[0]), prepareProducts);
    }

    static std::unique_ptr<Executable> prepareProducts(PrepareArgs const& args) {
        auto const made = existing(args);
        auto const wanted = made.weights();
        DnnlArgument from{DNNL_ARG_WEIGHTS, DnnlArgument::Source::Input, kB, made.b};
        if (args.variant.packed != 0) from = DnnlWeights::read(*args.packed, 0, DNNL_ARG_WEIGHTS, wanted);
        DnnlWanted const b{from, wanted};
        auto const& epilogue = as<MatrixMultiply>(*args.node.layer)->epilogue;
        auto const describe = [&](MatmulShapes const& part) { return make(args, part); };
        auto const parts = partsOf(args, matmulShapes(args, productOf(args)), made, b, true, describe);
        return prepareParts(args, epilogue, made, std::span(&b, 1), parts);
    }

    static Made existing(PrepareArgs const& args) {
        auto made = make(args);
        if (!made) fail(ErrorCode::Unsupported, args.node, ": oneDNN has no implementation for ", joined(args.inputs));
        return *std::move(made);
    }
};

constexpr OneDnnMatmul kOneDnn;

} // namespace

KernelList matrixMultiplyKernels() {
    static Kernel const* const all[]{&sparseMatmul(), &onednnInt8Matmul(), &directMatmul(), &kOneDnn};
    return {MatrixMultiply::kKind, all};
}

} // namespace tenon::cpu
