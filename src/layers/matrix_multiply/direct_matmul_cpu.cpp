// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/direct_matmul_cpu.h"

#include "backends/cpu/blocked_convolution.h"
#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/through_float.h"
#include "layers/matrix_multiply/matrix_multiply.h"

namespace tenon::cpu {
namespace {

constexpr int kA = 0;
constexpr int kB = 1;

MatrixMultiply const& layerOf(Node const& node) { return *as<MatrixMultiply>(*node.layer); }

MatrixProduct productOf(PrepareArgs const& args) {
    return tenon::productOf(layerOf(args.node), args.inputs[kA], args.inputs[kB]);
}

/// Whether all matrices of A can be stacked to one, and B is one matrix, at all shapes of the engine.
bool isRowsTimesOne(MatrixMultiply const& layer, MatrixProduct const& product, Dims const& a, Dims const& b) {
    return layer.a != MatrixOperation::Transpose && a.volume() == product.batch.volume() * product.m * product.k &&
           b.volume() == product.k * product.n;
}

BlockedConvolution rowsOf(DataType type, MatrixProduct const& product) {
    return BlockedConvolution::ofRows(type, product.batch.volume() * product.m, product.k, product.n);
}

HotSteps stepsOf(PrepareArgs const& args) {
    bool const hasColumns = layerOf(args.node).b != MatrixOperation::Vector; // as the last axis of Y
    return {args,
            layerOf(args.node).epilogue,
            {.axis = hasColumns ? args.outputs[0].rank() - 1 : -1, .begins = true, .adds = true}};
}

double costOf(PrepareArgs const& args, BlockedConvolution const& rows) {
    constexpr double kSpeed = 1.1; // of the peak, on the scale of the costs of oneDNN's matrix products
    return blockedCost(args, rows, kSpeed) + 0.2 * memoryCost(sizeof(float) * static_cast<double>(rows.weightWords()));
}

class DirectMatmul final : public Kernel {
public:
    std::string_view name() const override { return "direct_matmul"; }

    // float32 and bfloat16, dense
    Offer offer(KernelQuery const& query) const override {
        if (std::string refusal = directMatmulRefusal(query); !refusal.empty())
            return Offer::refuse(std::move(refusal));
        auto const& epilogue = layerOf(query.node).epilogue;
        Offer offer = offerFloats(query, [&](DataType type, Offer& to) {
            bool const pairs = type == DataType::BFloat16 && directMatmulTakesPairs(query);
            DataType const compute = pairs ? type : DataType::Float32;
            Label const label{compute, {}, Device::Cpu};
            forOperandLabels(query.node, MatrixMultiply::kFirstExtra, label, [&](std::span<Label const> operands) {
                Variant variant{.inputs = {label, label}, .outputs = {label}, .packed = 1U << kB, .compute = compute};
                variant.inputs[kB].type = query.node.input(kB)->literal()->type();
                variant.inputs.insert(variant.inputs.end(), operands.begin(), operands.end());
                PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
                size_t const done = stepsOf(args).count();
                if (!finishesInPlace(args, epilogue, done)) return;
                variant.cost =
                    costOf(args, rowsOf(compute, productOf(args))) + finishingCost(args, epilogue.size() - done);
                to.variants.push_back(storedAs(type, query, variant));
            });
        });
        if (offer.variants.empty() && isFloat(query.node.input(kA)->type))
            offer.refusal = "does not support this epilogue";
        return offer;
    }

    Packed pack(PrepareArgs const& args) const override {
        MatrixProduct const product = productOf(args);
        return packBlocked(rowsOf(args.variant.compute, product),
                           {*args.node.input(kB)->literal(), product.bColumn, product.bRow});
    }
    std::string packKey(Variant const& variant) const override {
        return blockedPackKey(variant.compute, channelBlock());
    }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return throughFloat(args, [](PrepareArgs const& inner) {
            MatrixProduct const product = productOf(inner);
            if (!isRowsTimesOne(layerOf(inner.node), product, inner.inputs[kA], inner.inputs[kB]))
                fail(ErrorCode::Unsupported, inner.node, ": does not multiply rows by one matrix at ",
                     joined(inner.inputs));
            HotSteps steps = stepsOf(inner);
            size_t const done = steps.count();
            BlockedConvolution const rows = rowsOf(inner.variant.compute, product);
            return finishedInPlace(inner, layerOf(inner.node).epilogue, done,
                                   runBlocked(inner, rows, std::move(steps), costOf(inner, rows)));
        });
    }
};

} // namespace

std::string directMatmulRefusal(KernelQuery const& query) {
    if (!query.node.input(kB)->literal()) return "requires constant weights";
    for (Dims const& dims : query.inputs) {
        if (dims.volume() == 0) return "does not support empty tensors";
    }
    MatrixProduct const product = tenon::productOf(layerOf(query.node), query.inputs[kA], query.inputs[kB]);
    if (!isRowsTimesOne(layerOf(query.node), product, query.inputs[kA], query.inputs[kB]))
        return "supports rows times one matrix";
    return {};
}

bool directMatmulTakesPairs(KernelQuery const& query) {
    return multipliesPairs() &&
           tenon::productOf(layerOf(query.node), query.inputs[kA], query.inputs[kB]).k % perWord(DataType::BFloat16) ==
               0;
}

Kernel const& directMatmul() {
    static constexpr DirectMatmul kernel;
    return kernel;
}

} // namespace tenon::cpu
