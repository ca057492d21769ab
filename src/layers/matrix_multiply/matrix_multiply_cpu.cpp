// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/matrix_multiply/matrix_multiply.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/through_float.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using dnnl::memory;
using Source = DnnlArgument::Source;

constexpr int kB = 1;

/// The product as oneDNN is to see it, all tensors of one rank.
struct Shapes {
    memory::dims a, b, y;
    memory::dims aStrides, bStrides;
    std::vector<Dims> inputs; // of the node; operands of the epilogue against y
    Dims output;
};

MatrixProduct productOf(PrepareArgs const& args) {
    return tenon::productOf(*as<MatrixMultiply>(*args.node.layer), args.inputs[0], args.inputs[1]);
}

bool all(Dims const& dims, int64_t value) {
    return std::ranges::all_of(dims, [&](int64_t extent) { return extent == value; });
}

/// The rows of all matrices of A, one below the other, times one B: the operand as such a matrix of rows sees it.
std::optional<Dims> asRows(Dims const& operand, Dims const& result, int64_t rows, int64_t columns) {
    if (operand == result) return Dims{rows, columns};
    Dims const leading(operand.span().first(static_cast<size_t>(std::max(0, operand.rank() - 1))));
    if (all(leading, 1)) return Dims{1, operand.rank() == 0 ? 1 : operand[operand.rank() - 1]};
    return std::nullopt;
}

std::optional<Shapes> rowsTimesOne(PrepareArgs const& args, MatrixProduct const& product) {
    bool const dense =
        product.aColumn == 1 && args.inputs[0].volume() == product.batch.volume() * product.m * product.k;
    if (!dense || args.inputs[1].volume() != product.k * product.n) return std::nullopt;
    int64_t const rows = product.batch.volume() * product.m;
    Shapes shapes{{rows, product.k}, {product.k, product.n},          {rows, product.n},
                  {product.k, 1},    {product.bRow, product.bColumn}, {args.inputs.begin(), args.inputs.end()},
                  {rows, product.n}};
    for (size_t i = MatrixMultiply::kFirstExtra; i < shapes.inputs.size(); ++i) {
        auto const operand = asRows(shapes.inputs[i], args.outputs[0], rows, product.n);
        if (!operand) return std::nullopt;
        shapes.inputs[i] = *operand;
    }
    return shapes;
}

Shapes stacked(PrepareArgs const& args, MatrixProduct const& product) {
    Shapes shapes;
    for (int axis = 0; axis < product.batch.rank(); ++axis) {
        int64_t const extent = product.batch[axis];
        auto const side = [&](memory::dims& dims, memory::dims& strides, int64_t stride, int64_t matrix) {
            dims.push_back(stride == 0 ? 1 : extent);
            strides.push_back(stride == 0 ? matrix : stride); // of an extent of 1: any number that oneDNN takes
        };
        side(shapes.a, shapes.aStrides, product.aBatch[axis], product.m * product.k);
        side(shapes.b, shapes.bStrides, product.bBatch[axis], product.k * product.n);
        shapes.output.push(extent);
    }
    shapes.a.insert(shapes.a.end(), {product.m, product.k});
    shapes.b.insert(shapes.b.end(), {product.k, product.n});
    shapes.aStrides.insert(shapes.aStrides.end(), {product.aRow, product.aColumn});
    shapes.bStrides.insert(shapes.bStrides.end(), {product.bRow, product.bColumn});
    shapes.output.push(product.m);
    shapes.output.push(product.n);
    shapes.y = toDnnl(shapes.output);
    shapes.inputs.assign(args.inputs.begin(), args.inputs.end());
    return shapes;
}

struct Made {
    dnnl::matmul::primitive_desc description;
    DnnlEpilogue epilogue;
    memory::desc a, b, y; // b as the node's input has it
};

/// nullopt when oneDNN has no implementation for these labels.
std::optional<Made> make(PrepareArgs const& args) {
    auto const& layer = *as<MatrixMultiply>(*args.node.layer);
    MatrixProduct const product = productOf(args);
    auto const rows = rowsTimesOne(args, product);
    Shapes const shapes = rows ? *rows : stacked(args, product);
    if (!isCounted(shapes.a) || !isCounted(shapes.b) || !isCounted(shapes.y)) return std::nullopt;
    PrepareArgs const against{args.node, args.variant, shapes.inputs, std::span(&shapes.output, 1), nullptr};
    auto epilogue = dnnlEpilogue(against, layer.epilogue);
    if (!epilogue) return std::nullopt;
    auto const type = toDnnl(args.variant.inputs[0].type);
    memory::desc const a(shapes.a, type, shapes.aStrides);
    bool const packed = args.variant.packed != 0; // from float32
    memory::desc const b(shapes.b, packed ? memory::data_type::f32 : type, shapes.bStrides);
    memory::desc const anyB(shapes.b, type, memory::format_tag::any);
    memory::desc const y(shapes.y, type, toDnnl(rowMajorStrides(shapes.output)));
    try {
        return Made{describeMatmul(a, packed ? anyB : b, {}, y, epilogue->attributes), *epilogue, a, b, y};
    } catch (dnnl::error const&) {
        return std::nullopt;
    }
}

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
            return Offer::refuse("takes no operands of an epilogue beside vectors");
        for (Dims const& dims : query.inputs) {
            if (dims.volume() == 0) return Offer::refuse("takes no empty tensors");
        }
        Offer offer = offerFloats(query, [&](DataType type, Offer& offer) {
            DataType const compute = computeTypeOf(type);
            Label const label{compute, Format::linear(), Device::Cpu};
            Variant variant{.inputs = {query.inputs.size(), label}, .outputs = {label}, .compute = compute};
            if (Literal const* b = query.node.input(kB)->literal(); b != nullptr) {
                variant.packed = 1U << kB;
                variant.inputs[kB].type = b->type();
            }
            PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
            auto const made = make(args);
            if (!made || std::string_view(made->description.impl_info_str()).find("ref") != std::string_view::npos)
                return;
            variant.cost = costOf(query, variant, productOf(args)) +
                           finishingCost(args, layer.epilogue.size() - made->epilogue.steps);
            offer.variants.push_back(storedAs(type, query, variant));
        });
        if (offer.variants.empty()) offer.refusal = text("has nothing fast for ", query.node.input(0)->type);
        return offer;
    }

    Packed pack(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] {
            DnnlWeights weights;
            Variant const variant = inFloat(args.variant);
            auto const made = existing({args.node, variant, args.inputs, args.outputs, nullptr});
            weights.add(*args.node.input(kB)->literal(), made.b, made.description.weights_desc());
            return std::move(weights).finish();
        });
    }
    std::string packKey(Variant const&) const override { return dnnlPackKey(); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return throughFloat(args, prepareInFloat); });
    }

private:
    static std::unique_ptr<Executable> prepareInFloat(PrepareArgs const& args) {
        auto const made = existing(args);
        DnnlProgram program(args.packed);
        DnnlStep step{dnnl::matmul(made.description), made.epilogue.arguments};
        DnnlArgument b{DNNL_ARG_WEIGHTS, Source::Input, kB, made.b};
        if (args.variant.packed != 0)
            b = DnnlWeights::read(*args.packed, 0, DNNL_ARG_WEIGHTS, made.description.weights_desc());
        step.arguments.push_back(program.reordered(b, made.description.weights_desc()));
        step.arguments.push_back({DNNL_ARG_SRC, Source::Input, 0, made.a});
        step.arguments.push_back({DNNL_ARG_DST, Source::Output, 0, made.y});
        step.arguments.push_back(program.scratchpad(made.description.scratchpad_desc()));
        program.add(std::move(step));
        return finishedInPlace(args, as<MatrixMultiply>(*args.node.layer)->epilogue, made.epilogue.steps,
                               std::move(program).finish());
    }

    static Made existing(PrepareArgs const& args) {
        auto made = make(args);
        if (!made) fail(ErrorCode::Unsupported, args.node, ": oneDNN has nothing for ", joined(args.inputs));
        return *std::move(made);
    }
};

constexpr OneDnnMatmul kOneDnn;
constexpr Kernel const* kKernels[]{&kOneDnn};

} // namespace

KernelList matrixMultiplyKernels() { return {MatrixMultiply::kKind, kKernels}; }

} // namespace tenon::cpu
