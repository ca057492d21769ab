// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/tile_deconvolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_parts.h"
#include "backends/cpu/through_float.h"
#include "base/parallel.h"
#include "layers/convolution/convolution_shape.h"
#include "layers/deconvolution/deconvolution.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using dnnl::memory;
using Source = DnnlArgument::Source;

constexpr int kWeights = 1;
constexpr int kBias = Deconvolution::kBias;

Deconvolution const& layerOf(PrepareArgs const& args) { return *as<Deconvolution>(*args.node.layer); }

bool tiles(KernelQuery const& query) {
    ConvolutionShape const shape(query.node, query.inputs);
    return std::ranges::all_of(shape.slides, [](FixedSlide const& slide) {
        return slide.stride == slide.size && slide.dilation == 1 && slide.pre == 0 &&
               slide.out == slide.in * slide.size;
    });
}

/// X [N,in…,width,C] times W [C,size*K] of one row of the window → rows of Y [N,in…*size,width*size,K].
struct Product {
    int64_t channels;  // C
    int64_t columns;   // size of the window along the width, times K
    int64_t rowsOfTap; // rows of the window: one product each
    memory::desc x, y;
};

/// The offset in Y of the first element that window row `row` writes.
int64_t startOf(PrepareArgs const& args, int64_t row) {
    Dims const& w = args.inputs[kWeights];
    Dims const& y = args.outputs[0];
    int64_t start = 0;
    int64_t stride = y[1] * y[y.rank() - 1];
    for (int axis = y.rank() - 2; axis >= 2; --axis) {
        start += row % w[axis] * stride;
        row /= w[axis];
        stride *= y[axis];
    }
    return start;
}

Product productOf(PrepareArgs const& args) {
    Dims const& x = args.inputs[0];
    Dims const& w = args.inputs[kWeights];
    Dims const& y = args.outputs[0];
    int const last = x.rank() - 1;
    Dims dims{x[0]};
    for (int axis = 2; axis < x.rank(); ++axis) dims.push(x[axis]);
    Dims from = dims;
    from.push(x[1]);
    Dims to = dims;
    to.push(w[last] * y[1]);
    Dims strides = rowMajorStrides(to);
    int64_t stride = y[1] * y[last]; // of a row of Y
    for (int axis = last - 1; axis >= 2; --axis) {
        strides[axis - 1] = stride * w[axis];
        stride *= y[axis];
    }
    strides[0] = stride;
    auto const type = toDnnl(args.variant.inputs[0].type);
    return {x[1],
            w[last] * y[1],
            w.volume(2, last),
            {toDnnl(from), type, toDnnl(rowMajorStrides(from))},
            {toDnnl(to), type, toDnnl(strides)}};
}

memory::dims leadingOnes(int rank, std::initializer_list<int64_t> last) {
    memory::dims dims(static_cast<size_t>(rank) - last.size(), 1);
    dims.insert(dims.end(), last);
    return dims;
}

struct Made {
    dnnl::matmul::primitive_desc description;
    Product product;
    memory::desc weights; // of one row, dense
    memory::desc bias;
    size_t stepsDone; // of the epilogue, by the product
};

/// Steps that a product of one row of the window also computes. If it has fewer columns than a vector register has
/// floats, they are faster on the whole of Y; and so are steps that read operands, which are stored like the whole.
std::optional<DnnlEpilogue> epilogueOf(PrepareArgs const& args, Product const& product) {
    auto const& steps = layerOf(args).epilogue;
    auto const reads = [](EpilogueStep const& step) { return step.input >= 0; };
    size_t const most = static_cast<size_t>(std::ranges::find_if(steps, reads) - steps.begin());
    return dnnlEpilogue(args, steps, product.columns < channelBlock() ? 0 : most);
}

std::optional<Made> make(PrepareArgs const& args) {
    if (!isCounted(args.inputs[0].span()) || !isCounted(args.outputs[0].span())) return std::nullopt;
    Product const product = productOf(args);
    auto const epilogue = epilogueOf(args, product);
    if (!epilogue) return std::nullopt;
    int const rank = args.inputs[0].rank();
    auto const floats = memory::data_type::f32;
    auto const dims = leadingOnes(rank, {product.channels, product.columns});
    memory::desc const any(dims, toDnnl(args.variant.inputs[0].type), memory::format_tag::any);
    memory::desc const dense(dims, floats, leadingOnes(rank, {product.columns, 1}));
    memory::desc bias;
    if (args.node.input(kBias) != nullptr)
        bias = {leadingOnes(rank, {product.columns}), floats, leadingOnes(rank, {1})};
    try {
        return Made{describeMatmul(product.x, any, bias, product.y, epilogue->attributes), product, dense, bias,
                    epilogue->steps};
    } catch (dnnl::error const&) {
        return std::nullopt;
    }
}

/// W [C,K,…,row,…,size] → for each row of the window [C,size,K]
std::vector<Literal> rowsOf(Literal const& w, int64_t rows) {
    auto const values = w.toFloat();
    Dims const& dims = w.dims();
    int64_t const width = dims[dims.rank() - 1];
    std::vector<Literal> literals;
    for (int64_t row = 0; row < rows; ++row) {
        std::vector<float> of;
        for (int64_t i = 0; i < dims[0] * width * dims[1]; ++i) {
            int64_t const k = i % dims[1];
            int64_t const s = i / dims[1] % width;
            int64_t const c = i / dims[1] / width;
            of.push_back(values[static_cast<size_t>(((c * dims[1] + k) * rows + row) * width + s)]);
        }
        literals.push_back(Literal::of({dims[0], width * dims[1]}, of));
    }
    return literals;
}

Literal repeated(Literal const& bias, int64_t columns) {
    auto const values = bias.toFloat();
    std::vector<float> all;
    while (static_cast<int64_t>(all.size()) < columns) all.insert(all.end(), values.begin(), values.end());
    return Literal::of({columns}, all);
}

/// Items of X, or rows of its one item, as many for each row of the window as are worth a thread.
std::vector<Range> rangesOfX(PrepareArgs const& args, int64_t rowsOfTap) {
    Dims const& x = args.inputs[0];
    double const operations = 2 * static_cast<double>(x.volume() * args.inputs[kWeights].volume(1, x.rank()));
    int64_t const worth = partsWorth(operations / backend().costs().peak(args.variant.compute));
    int const axis = x[0] == 1 && x.rank() > 3 ? 2 : 0;
    return rangesOf(axis, x[axis], 1, (worth + rowsOfTap - 1) / rowsOfTap);
}

/// A range of X, and the range of Y that it produces.
struct PartOfX {
    Slice x, y;
    std::vector<Dims> inputs;

    PartOfX(PrepareArgs const& args, Range const& range) : inputs(args.inputs.begin(), args.inputs.end()) {
        int64_t const size = range.axis == 0 ? 1 : args.inputs[kWeights][range.axis];
        x = *sliceOf({args.inputs[0]}, args.variant.inputs[0], range);
        y = *sliceOf({args.outputs[0]}, args.variant.outputs[0], {range.axis, range.begin * size, range.end * size});
        inputs[0] = x.dims;
        for (size_t i = Deconvolution::kBias + 1; i < inputs.size(); ++i) { // steps after the products read them
            int const axis = range.axis - (y.dims.rank() - inputs[i].rank());
            if (axis >= 0 && inputs[i][axis] != 1) inputs[i][axis] = y.dims[range.axis];
        }
    }
    PrepareArgs of(PrepareArgs const& args) const {
        return {args.node, args.variant, inputs, std::span(&y.dims, 1), args.packed, args.packedData};
    }
};

std::unique_ptr<Executable> prepareInFloat(PrepareArgs const& args) {
    auto const made = make(args);
    if (!made) fail(ErrorCode::Unsupported, args.node, ": oneDNN has no implementation for input ", args.inputs[0]);
    DnnlProgram program(args.packed);
    auto const rows = static_cast<int>(made->product.rowsOfTap);
    std::vector<DnnlStep> parts;
    std::vector<DnnlArgument> weights; // in the order that the last range requires
    for (Range const& range : rangesOfX(args, rows)) {
        ThreadLimit const one(1); // its products are created for one thread
        PartOfX const part(args, range);
        auto const product = make(part.of(args));
        if (!product) fail(ErrorCode::Unsupported, args.node, ": oneDNN has no implementation for input ", part.x.dims);
        auto const wanted = product->description.weights_desc();
        if (weights.empty() || weights[0].desc != wanted) {
            weights.clear();
            for (int row = 0; row < rows; ++row)
                weights.push_back(
                    program.reordered(DnnlWeights::read(*args.packed, row, DNNL_ARG_WEIGHTS, wanted), wanted));
        }
        for (int row = 0; row < rows; ++row) {
            DnnlStep step{makePrimitive(product->description), {weights[static_cast<size_t>(row)]}};
            if (args.node.input(kBias) != nullptr)
                step.arguments.push_back(DnnlWeights::read(*args.packed, rows, DNNL_ARG_BIAS, product->bias));
            auto const offset = static_cast<int64_t>(bytesOf(args.variant.outputs[0].type, startOf(args, row)));
            step.arguments.push_back({DNNL_ARG_SRC, Source::Input, 0, product->product.x, part.x.offset});
            step.arguments.push_back({DNNL_ARG_DST, Source::Output, 0, product->product.y, part.y.offset + offset});
            step.arguments.push_back(DnnlArgument::scratchOf(product->description));
            parts.push_back(std::move(step));
        }
    }
    program.addParts(std::move(parts));
    return finishedInPlace(args, layerOf(args).epilogue, made->stepsDone, std::move(program).finish());
}

class TileDeconvolution final : public Kernel {
public:
    std::string_view name() const override { return "matmul_tiles"; }

    // float32 and bfloat16, channels last, constant weights
    Offer offer(KernelQuery const& query) const override {
        if (as<Deconvolution>(*query.node.layer) == nullptr) return Offer::refuse("supports deconvolutions only");
        for (int i : {kWeights, kBias}) {
            if (query.node.input(i) != nullptr && query.node.input(i)->literal() == nullptr)
                return Offer::refuse("requires constant weights");
        }
        if (as<Deconvolution>(*query.node.layer)->groups != 1) return Offer::refuse("supports one group");
        if (query.inputs[0].volume() == 0 || query.inputs[0].rank() > 5)
            return Offer::refuse("supports 1 to 3 spatial axes that are not empty");
        if (!tiles(query)) return Offer::refuse("requires windows that tile the output, with strides of their size");
        Offer offer = offerFloats(query, [&](DataType type, Offer& to) {
            DataType const compute = computeTypeOf(type);
            Variant variant = labelled(query, compute);
            PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
            auto const made = make(args);
            if (!made || std::string_view(made->description.impl_info_str()).find("ref") != std::string_view::npos)
                return;
            variant.cost = costOf(args) + finishingCost(args, layerOf(args).epilogue.size() - made->stepsDone);
            to.variants.push_back(storedAs(type, query, variant));
        });
        if (offer.variants.empty())
            offer.refusal = text("has no fast implementation for ", query.inputs[0], ' ', query.node.input(0)->type);
        return offer;
    }

    Packed pack(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] {
            Variant const variant = inFloat(args.variant);
            auto const made = make({args.node, variant, args.inputs, args.outputs, nullptr});
            if (!made)
                fail(ErrorCode::Internal, args.node, ": oneDNN no longer has the implementation that it offered");
            DnnlWeights weights;
            for (Literal const& row : rowsOf(*args.node.input(kWeights)->literal(), made->product.rowsOfTap))
                weights.add(row, made->weights, made->description.weights_desc());
            if (args.node.input(kBias) != nullptr)
                weights.add(repeated(*args.node.input(kBias)->literal(), made->product.columns), made->bias,
                            made->bias);
            return std::move(weights).finish();
        });
    }
    std::string packKey(Variant const&) const override { return dnnlPackKey(); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] { return throughFloat(args, prepareInFloat); });
    }

private:
    static Variant labelled(KernelQuery const& query, DataType type) {
        Label const label{type, Format::nhwc(), Device::Cpu};
        ConvolutionInputs const inputs(query.node, label, label);
        return {.inputs = inputs.labels, .outputs = {label}, .packed = inputs.packed, .compute = type};
    }

    static double costOf(PrepareArgs const& args) {
        Dims const& w = args.inputs[kWeights];
        double const flops = 2 * static_cast<double>(args.inputs[0].volume() * w.volume(1, w.rank()));
        double const bytes = static_cast<double>(bytesOf(args.inputs[0], args.variant.inputs[0]) +
                                                 bytesOf(args.outputs[0], args.variant.outputs[0]));
        double const speed = 0.6 * backend().costs().peak(args.variant.compute);
        return 1500 + flops / speed + memoryCost(bytes) / 2;
    }
};

} // namespace

Kernel const& tileDeconvolution() {
    static constexpr TileDeconvolution kernel;
    return kernel;
}

} // namespace tenon::cpu
