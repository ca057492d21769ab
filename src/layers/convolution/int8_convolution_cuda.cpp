// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/int8_convolution_cuda.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cudnn_epilogue.h"
#include "backends/cuda/libraries.h"
#include "backends/packed.h"
#include "base/error.h"
#include "base/quantize.h"
#include "base/text.h"
#include "layers/convolution/weight_layout_cuda.h"
#include "layers/quanta.h"

#include <algorithm>
#include <cstring>

namespace tenon::cuda {
namespace {

constexpr int64_t kTogether = 16; // channels that tensor cores read at a time

/// Real value = factor · sum of the integers' products, one factor an output channel; and what else the graph needs.
struct Int8Packing {
    WeightLayout weights;
    int64_t channels; // of Y, padded
    size_t factorsAt, biasAt, inverseScaleAt, operandScalesAt, bytes;

    Int8Packing(PrepareArgs const& args, ConvolutionShape const& shape)
        : weights(args, shape), channels(padded(args.outputs[0][1], args.variant.outputs[0].format)),
          factorsAt(aligned(weights.bytes(DataType::Int8))), biasAt(factorsAt + row()), inverseScaleAt(biasAt + row()),
          operandScalesAt(inverseScaleAt + aligned(sizeof(float))),
          bytes(operandScalesAt + args.inputs.size() * aligned(sizeof(float))) {}

    size_t row() const { return aligned(bytesOf(DataType::Float32, channels)); }
    size_t operandScaleAt(int input) const {
        return operandScalesAt + static_cast<size_t>(input) * aligned(sizeof(float));
    }
};

/// The graph of one convolution, in the order in which its tensors are given to the plan.
class Int8Graph {
public:
    Int8Graph(PrepareArgs const& args, ConvolutionShape const& shape)
        : args_(args), packing_(args, shape), x_(memoryDims(args.inputs[kX], args.variant.inputs[kX])),
          y_(memoryDims(args.outputs[0], args.variant.outputs[0])) {
        Dims const w = withTwoSpatialAxes(packing_.weights.dims);
        int64_t const x = tensor(args.variant.inputs[kX].type, x_, {kX, 0});
        int64_t const weights = tensor(DataType::Int8, w, {kPacked, 0});
        int64_t const sums = graph_.intermediate(y_, stridesOf(y_, true), DataType::Int32);
        graph_.convolve(windowOf(settled(shape.forwards())), x, weights, sums);
        current_ = sums;
        Dims perChannel = Dims::filled(y_.rank(), 1);
        perChannel[1] = y_[1];
        compute({CUDNN_POINTWISE_MUL}, tensor(DataType::Float32, perChannel, {kPacked, packing_.factorsAt}));
        if (hasBias(args.node))
            compute({CUDNN_POINTWISE_ADD}, tensor(DataType::Float32, perChannel, {kPacked, packing_.biasAt}));
        for (CudnnStep const& step : fusedSteps(args, shape)) add(step);
        if (args.variant.outputs[0].scale != 0) compute({CUDNN_POINTWISE_MUL}, scalar(packing_.inverseScaleAt));
        store();
    }

    struct Place {
        int input; // of the node, or one of the two below
        size_t at; // bytes from its start
    };
    static constexpr int kPacked = -1;
    static constexpr int kOutput = -2;

    std::vector<Place> const& places() const { return places_; }
    CudnnGraph& graph() { return graph_; }

private:
    static Dims memoryDims(Dims const& dims, Label const& label) {
        return withTwoSpatialAxes(paddedDims(dims, label.format));
    }

    int64_t tensor(DataType type, Dims const& dims, Place place) {
        places_.push_back(place);
        return graph_.tensor(type, dims, stridesOf(dims, true));
    }
    int64_t scalar(size_t at) { return tensor(DataType::Float32, Dims::filled(y_.rank(), 1), {kPacked, at}); }

    /// The operation waits for the next one, to know whether it is the last, which writes Y.
    void compute(CudnnPointwise const& operation, int64_t operand = -1) {
        flush([&] { return graph_.intermediate(y_, stridesOf(y_, true)); });
        waiting_ = operation;
        operand_ = operand;
    }

    template <class Result> void flush(Result const& result) {
        if (!waiting_) return;
        int64_t const to = result();
        if (operand_ < 0)
            graph_.compute(*waiting_, current_, to);
        else
            graph_.compute(*waiting_, current_, operand_, to);
        current_ = to;
    }

    void store() {
        flush([&] { return tensor(args_.variant.outputs[0].type, y_, {kOutput, 0}); });
    }

    void add(CudnnStep const& step) {
        if (step.input < 0) return compute(step.operation);
        Label const& label = args_.variant.inputs[static_cast<size_t>(step.input)];
        int64_t operand = tensor(label.type, y_, {step.input, 0});
        if (label.scale != 0) {
            int64_t const real = graph_.intermediate(y_, stridesOf(y_, true));
            graph_.compute({CUDNN_POINTWISE_MUL}, operand, scalar(packing_.operandScaleAt(step.input)), real);
            operand = real;
        }
        compute(step.operation, operand);
    }

    PrepareArgs const& args_;
    Int8Packing packing_;
    Dims x_, y_;
    CudnnGraph graph_;
    std::vector<Place> places_;
    int64_t current_ = -1;
    std::optional<CudnnPointwise> waiting_;
    int64_t operand_ = -1;
};

// X [N,C,in…] int8, W [K,C,window…] int8 → Y [N,K,out…]
class RunInt8Convolution final : public Executable {
public:
    RunInt8Convolution(PrepareArgs const& args, ConvolutionShape const& shape) : packed_(args.packedData) {
        expectPacked(args, Int8Packing(args, shape).bytes);
        size_t const fused = fusedSteps(args, shape).size();
        if (fused != shape.epilogue.size()) // nothing else would compute the others
            fail(ErrorCode::Unsupported, "cuDNN fuses ", fused, " of ", shape.epilogue.size(),
                 " steps with this convolution of int8 ", args.inputs[kX], " to ", args.outputs[0]);
        Int8Graph made(args, shape);
        plan_ = made.graph().plan({});
        if (!plan_)
            fail(ErrorCode::Unsupported, "cuDNN has no engine for this convolution of int8 ", args.inputs[kX], " to ",
                 args.outputs[0], "; leave int8 out for it: take the range from its input");
        places_ = made.places();
        pointers_.resize(places_.size());
    }

    size_t workspaceBytes() const override { return plan_->workspaceBytes(); }

    void run(Pointers const& pointers) override {
        for (size_t i = 0; i < places_.size(); ++i) pointers_[i] = find(places_[i], pointers);
        plan_->run(pointers_, pointers.workspace, pointers.stream);
    }

private:
    void* find(Int8Graph::Place const& place, Pointers const& pointers) const {
        if (place.input == Int8Graph::kOutput) return pointers.outputs[0];
        if (place.input == Int8Graph::kPacked) return const_cast<char*>(static_cast<char const*>(packed_)) + place.at;
        return const_cast<void*>(pointers.inputs[place.input]);
    }

    void const* packed_;
    std::unique_ptr<CudnnPlan> plan_;
    std::vector<Int8Graph::Place> places_;
    std::vector<void*> pointers_; // what is in those places
};

// ---- what is offered

Format formatOf(Dims const& dims, DataType type) {
    int64_t const together = type == DataType::Int8 ? kTogether : 8;
    return dims[1] % together == 0 ? Format::nhwc() : Format::nhwc(static_cast<int>(together));
}

/// Int8 where the tensor has a scale, else the narrowest float that it may be kept in.
Label int8OperandLabel(KernelQuery const& query, Tensor const& operand, Format const& format) {
    if (query.mayBeSymmetric(operand)) return Label::of(operand.quantum, format, kCuda);
    std::vector<DataType> const types = query.typesOf(operand);
    return {types.size() > 1 ? types[1] : types[0], format, kCuda};
}

Variant variantFor(KernelQuery const& query, Label const& y) {
    Node const& node = query.node;
    Label const x = Label::of(node.input(kX)->quantum, formatOf(query.inputs[kX], DataType::Int8), kCuda);
    Variant variant = convolutionVariant(query, x, y);
    for (size_t i = ConvolutionShape::kFirstExtra; i < variant.inputs.size(); ++i)
        variant.inputs[i] = int8OperandLabel(query, *node.input(static_cast<int>(i)), y.format);
    variant.compute = DataType::Int8;
    return variant;
}

double costOf(KernelQuery const& query, Variant const& variant, ConvolutionShape const& shape) {
    double const speed = 0.37 * costs().int8; // that cuDNN reaches
    auto bytes = static_cast<double>(query.inputs[kWeights].volume() + bytesOf(query.outputs[0], variant.outputs[0]));
    for (size_t i = 0; i < query.inputs.size(); ++i) {
        if (!isPacked(variant, static_cast<int>(i)))
            bytes += static_cast<double>(bytesOf(query.inputs[i], variant.inputs[i]));
    }
    return kernelCost(bytes, shape.operations(query.inputs, query.outputs), speed);
}

/// Whether there is anything for int8 here: asked once, of a small convolution.
bool cudnnKnowsInt8() {
    static bool const knows = [] {
        CudnnGraph graph;
        Dims const all{1, kTogether, 8, 8};
        Dims const window{kTogether, kTogether, 1, 1};
        int64_t const x = graph.tensor(DataType::Int8, all, stridesOf(all, true));
        int64_t const w = graph.tensor(DataType::Int8, window, stridesOf(window, true));
        int64_t const factor = graph.tensor(DataType::Float32, Dims{1, 1, 1, 1}, Dims{1, 1, 1, 1});
        int64_t const sums = graph.intermediate(all, stridesOf(all, true), DataType::Int32);
        int64_t const y = graph.tensor(DataType::Int8, all, stridesOf(all, true));
        graph.convolve({{1, 1}, {1, 1}, {0, 0}, {0, 0}}, x, w, sums);
        graph.compute({CUDNN_POINTWISE_MUL}, sums, factor, y);
        return graph.hasEngine();
    }();
    return knows;
}

std::string refusal(KernelQuery const& query, ConvolutionShape const& shape) {
    Node const& node = query.node;
    int const axes = query.inputs[kX].rank() - 2;
    constexpr int64_t kMost = int64_t{1} << 31;
    if (shape.backwards) return "computes convolutions forwards";
    if (!query.mayBeSymmetric(*node.input(kX))) return "takes an input with a range, where int8 is allowed";
    if (!cudnnLibrary().isThere()) return "finds no cuDNN 9";
    if (axes > 2) return text("takes 1 or 2 spatial axes, not ", axes);
    if (shape.groups != 1) return "takes one group of channels";
    if (query.inputs[kX][1] < kTogether) return text("takes ", kTogether, " input channels or more");
    if (query.inputs[kX].volume() == 0 || query.outputs[0].volume() == 0) return "takes no empty tensors";
    if (query.inputs[kX].volume() >= kMost || query.outputs[0].volume() >= kMost)
        return text("takes tensors below ", kMost, " elements");
    bool const isConstant = node.input(kWeights)->literal() && (!hasBias(node) || node.input(kBias)->literal());
    if (!isConstant) return "takes constant weights and bias";
    bool const mayRound = !node.input(kX)->quantum.isExact;
    if (!hasWeightScales(*node.input(kWeights), 0, mayRound))
        return "takes weights that are quantized by output channel";
    if (!fillsWindows(settled(shape.forwards()))) return "takes no fewer windows than fit";
    if (!isEven(settled(shape.forwards()))) return "takes as much padding behind as in front";
    return cudnnKnowsInt8() ? "" : "finds no engine for int8 in this cuDNN";
}

void packScales(PrepareArgs const& args, Int8Packing const& packing, char* to) {
    auto const put = [&](size_t at, size_t index, float value) {
        std::memcpy(to + at + index * sizeof(float), &value, sizeof value);
    };
    Variant const& variant = args.variant;
    if (variant.outputs[0].scale != 0) put(packing.inverseScaleAt, 0, 1 / variant.outputs[0].scale);
    for (size_t i = ConvolutionShape::kFirstExtra; i < variant.inputs.size(); ++i)
        put(packing.operandScaleAt(static_cast<int>(i)), 0, variant.inputs[i].scale);
    if (!hasBias(args.node)) return;
    std::vector<float> const bias = args.node.input(kBias)->literal()->toFloat();
    for (size_t k = 0; k < bias.size(); ++k) put(packing.biasAt, k, bias[k]);
}

Offer offerInt8Convolution(KernelQuery const& query, ConvolutionShape const& shape) {
    if (std::string why = refusal(query, shape); !why.empty()) return Offer::refuse(std::move(why));
    Tensor const& output = *query.node.output();
    std::vector<Label> labels;
    for (DataType const type : query.typesOf(output)) labels.push_back({type, formatOf(query.outputs[0], type), kCuda});
    if (query.mayBeSymmetric(output))
        labels.push_back(Label::of(output.quantum, formatOf(query.outputs[0], DataType::Int8), kCuda));
    Offer offer;
    for (Label const& y : labels) {
        Variant variant = variantFor(query, y);
        PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
        if (fusedSteps(args, shape).size() != shape.epilogue.size()) continue;
        variant.cost = costOf(query, variant, shape);
        offer.variants.push_back(std::move(variant));
    }
    if (offer.variants.empty()) offer.refusal = "cannot fuse the steps behind it";
    return offer;
}

std::string int8ConvolutionKey(Variant const& variant) {
    return text("cudnn int8 ", variant.inputs[kX], " to ", variant.outputs[0]);
}

// W [K,C,window…], bias [K] → W [K padded,window…,C padded] int8, factors and bias [K padded], scales
Packed packInt8Convolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    Int8Packing const packing(args, shape);
    auto const memory = allocateHost(packing.bytes);
    auto* const bytes = static_cast<char*>(memory.get());
    std::memset(bytes, 0, packing.bytes);
    Literal const& weights = *args.node.input(kWeights)->literal();
    std::vector<float> scales = weightScales(*args.node.input(kWeights), 0, true);
    packing.weights.place(weights, [&](int64_t at, int64_t k, float value) {
        bytes[at] = static_cast<char>(quantize(value, scales[static_cast<size_t>(k)]));
    });
    for (float& scale : scales) scale *= args.variant.inputs[kX].scale;
    std::memcpy(bytes + packing.factorsAt, scales.data(), scales.size() * sizeof(float));
    packScales(args, packing, bytes);
    return {int8ConvolutionKey(args.variant),
            Literal::borrowed(DataType::UInt8, {static_cast<int64_t>(packing.bytes)}, memory.get(), memory)};
}

class CudnnInt8Convolution final : public Kernel {
public:
    std::string_view name() const override { return "cudnn_int8_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerInt8Convolution(query, ConvolutionShape(query.node, query.inputs));
    }
    Packed pack(PrepareArgs const& args) const override {
        return packInt8Convolution(args, ConvolutionShape(args.node, args.inputs));
    }
    std::string packKey(Variant const& variant) const override { return int8ConvolutionKey(variant); }
    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return std::make_unique<RunInt8Convolution>(args, ConvolutionShape(args.node, args.inputs));
    }
};

constexpr CudnnInt8Convolution kKernel;

} // namespace

Kernel const& int8Convolution() { return kKernel; }

} // namespace tenon::cuda
