// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/onednn_int8_matmul_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_epilogue.h"
#include "layers/matrix_multiply/matmul_shapes_cpu.h"
#include "layers/quanta.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using dnnl::memory;

constexpr int kA = 0;
constexpr int kB = 1;

/// The entries of the packed weights.
enum Place { kIntegers, kPlainIntegers, kScales };

MatrixMultiply const& layerOf(Node const& node) { return *as<MatrixMultiply>(*node.layer); }

/// For a constant B: the axis of the result's columns.
int columnAxis(Node const& node) {
    int const rank = static_cast<int>(node.input(kB)->shape.size());
    MatrixOperation const operation = layerOf(node).b;
    return rank - (operation == MatrixOperation::Transpose ? 2 : 1);
}

struct Made : DnnlProduct {
    memory::desc b;      // as in the node's input
    memory::desc plainB; // row-major
    memory::desc realB;  // like b, in float32
};

/// nullopt if oneDNN has no implementation for these labels.
std::optional<Made> make(PrepareArgs const& args, MatmulShapes const& shapes, std::vector<float> factors) {
    if (!isCounted(shapes.a) || !isCounted(shapes.b) || !isCounted(shapes.y)) return std::nullopt;
    PrepareArgs const against{args.node, args.variant, shapes.inputs, std::span(&shapes.output, 1), nullptr};
    int const columns = shapes.output.rank() - 1;
    IntegerSums const sums{.channelAxis = columns,
                           .channelsOfWeights = 1 << columns,
                           .zeroOfX = args.variant.inputs[kA].zero,
                           .factors = std::move(factors),
                           .bias = {}};
    auto epilogue = dnnlEpilogue(against, layerOf(args.node).epilogue, sums);
    if (!epilogue) return std::nullopt;
    constexpr auto kInt8 = memory::data_type::s8;
    memory::desc const a(shapes.a, toDnnl(args.variant.inputs[kA].type), shapes.aStrides);
    memory::desc const b(shapes.b, kInt8, shapes.bStrides);
    memory::desc const any = shapes.packedB(kInt8);
    memory::desc const y(shapes.y, toDnnl(args.variant.outputs[0].type), shapes.yStrides);
    Dims const extentsOfB{std::span<int64_t const>(shapes.b)};
    memory::desc const plain(shapes.b, kInt8, toDnnl(rowMajorStrides(extentsOfB)));
    memory::desc const real(shapes.b, memory::data_type::f32, shapes.bStrides);
    try {
        auto const made = describeMatmul(a, args.variant.packs(kB) ? any : b, {}, y, epilogue->attributes);
        return Made{{made, *std::move(epilogue)}, b, plain, real};
    } catch (dnnl::error const&) {
        return std::nullopt;
    }
}

MatmulShapes shapesOf(PrepareArgs const& args) {
    return matmulShapes(args, productOf(layerOf(args.node), args.inputs[kA], args.inputs[kB]));
}

std::optional<Made> make(PrepareArgs const& args, std::vector<float> factors) {
    return make(args, shapesOf(args), std::move(factors));
}

/// One per column if B has constant scales; queries of the offer need no values.
std::vector<float> anyFactors(PrepareArgs const& args) {
    if (!args.variant.packs(kB)) return {1};
    return std::vector<float>(static_cast<size_t>(args.inputs[kB][columnAxis(args.node)]), 1);
}

Made existing(PrepareArgs const& args, std::vector<float> factors) {
    auto made = make(args, std::move(factors));
    if (!made)
        fail(ErrorCode::Unsupported, args.node, ": oneDNN has no implementation for ", joined(args.inputs), " in int8");
    return *std::move(made);
}

/// The real value of 1 in a sum.
std::vector<float> factorsOf(PrepareArgs const& args) {
    float const scale = args.variant.inputs[kA].scale;
    if (!args.variant.packs(kB)) return {scale * args.variant.inputs[kB].scale};
    std::vector<float> factors = DnnlWeights::readList(*args.packed, kScales, args.inputs[kB][columnAxis(args.node)]);
    for (float& factor : factors) factor *= scale;
    return factors;
}

std::string refusal(KernelQuery const& query) {
    Node const& node = query.node;
    Tensor const& a = *node.input(kA);
    Tensor const& b = *node.input(kB);
    bool const hasVector = layerOf(node).a == MatrixOperation::Vector || layerOf(node).b == MatrixOperation::Vector;
    if (!query.mayBeInt8(a)) return "requires inputs that are quantized, or have a range if int8 is allowed";
    if (!multipliesInt8()) return "requires a processor that sums int8 products in 32 bits";
    if (hasVector) return "supports matrices, not vectors";
    for (Dims const& dims : query.inputs) {
        if (dims.volume() == 0) return "does not support empty tensors";
    }
    if (b.literal() && !hasWeightScales(b, columnAxis(node), !a.quantum.isExact))
        return "requires constants that are quantized by column";
    if (!b.literal() && !query.mayBeSymmetric(b)) return "requires a second input in int8 without a zero point";
    return {};
}

double costOf(KernelQuery const& query, Variant const& variant) {
    MatrixProduct const product = productOf(layerOf(query.node), query.inputs[kA], query.inputs[kB]);
    double const operations = 2.0 * static_cast<double>(product.batch.volume() * product.m * product.n * product.k);
    auto bytes = static_cast<double>(query.inputs[kB].volume() + bytesOf(query.outputs[0], variant.outputs[0]));
    bytes += static_cast<double>(bytesOf(query.inputs[kA], variant.inputs[kA]));
    return 1500 + operations / backend().costs().peak(DataType::Int8) + 0.2 * memoryCost(bytes);
}

Variant labelled(KernelQuery const& query, Label const& y, bool integerOperands) {
    Node const& node = query.node;
    Variant variant{.inputs = {Label::of(node.input(kA)->quantum, {}, Device::Cpu)}, .outputs = {y}};
    variant.compute = DataType::Int8;
    if (node.input(kB)->literal()) {
        variant.inputs.push_back({node.input(kB)->type, {}, Device::Cpu});
        variant.packed = 1U << kB;
    } else {
        variant.inputs.push_back(Label::of(node.input(kB)->quantum, {}, Device::Cpu));
    }
    for (size_t i = MatrixMultiply::kFirstExtra; i < node.inputs().size(); ++i)
        variant.inputs.push_back(operandLabel(query, i, y, integerOperands));
    return variant;
}

// W […,K,N] → int8 in the primitive's order and row-major, scales [N] float32
Packed packWeights(PrepareArgs const& args) {
    auto const made = existing(args, anyFactors(args));
    int const axis = columnAxis(args.node);
    Tensor const& weights = *args.node.input(kB);
    auto const scales = weightScales(weights, axis, true);
    DnnlWeights packed;
    packed.addIntegers(wholeWeights(*weights.literal(), axis, scales), made.realB, made.weights(), made.plainB);
    packed.addList(scales);
    return std::move(packed).finish();
}

std::unique_ptr<Executable> prepareMatmul(PrepareArgs const& args) {
    auto const made = existing(args, factorsOf(args));
    auto const wanted = made.weights();
    DnnlArgument from{DNNL_ARG_WEIGHTS, DnnlArgument::Source::Input, kB, made.b};
    if (args.variant.packs(kB)) from = DnnlWeights::readIntegers(*args.packed, kIntegers, wanted, made.plainB);
    DnnlWanted const b{from, wanted};
    auto const describe = [&](MatmulShapes const& part) { return make(args, part, factorsOf(args)); };
    auto const parts = partsOf(args, shapesOf(args), made, b, false, describe);
    return prepareParts(args, layerOf(args.node).epilogue, made, std::span(&b, 1), parts);
}

class OneDnnInt8Matmul final : public Kernel {
public:
    std::string_view name() const override { return "onednn_int8_matmul"; }

    // A in integers, B in int8, Y in float32 or integers, dense
    Offer offer(KernelQuery const& query) const override {
        if (std::string const why = refusal(query); !why.empty()) return {{}, why};
        Tensor const& output = *query.node.output();
        std::vector<Label> labels{{DataType::Float32, {}, Device::Cpu}};
        if (query.mayBeInt8(output)) labels.push_back(Label::of(output.quantum, {}, Device::Cpu));
        Offer offer;
        for (Label const& y : labels) {
            add(query, labelled(query, y, true), offer);
            if (readsIntegers(labelled(query, y, true), MatrixMultiply::kFirstExtra))
                add(query, labelled(query, y, false), offer);
        }
        if (offer.variants.empty()) offer.refusal = text("has no fast implementation for ", joined(query.inputs));
        return offer;
    }

    Packed pack(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return packWeights(args); });
    }
    std::string packKey(Variant const&) const override { return dnnlPackKey(); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return prepareMatmul(args); });
    }

private:
    static void add(KernelQuery const& query, Variant variant, Offer& offer) {
        PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
        auto const made = make(args, anyFactors(args));
        bool const isFast = made && !made->is("ref");
        if (!isFast) return;
        size_t const left = layerOf(query.node).epilogue.size() - made->epilogue.steps;
        variant.cost = costOf(query, variant) + finishingCost(args, left);
        offer.variants.push_back(std::move(variant));
    }
};

} // namespace

Kernel const& onednnInt8Matmul() {
    static constexpr OneDnnInt8Matmul kernel;
    return kernel;
}

} // namespace tenon::cpu
