// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/int8_convolution_cuda.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/cudnn_epilogue.h"
#include "backends/cuda/int8_labels.h"
#include "backends/cuda/libraries.h"
#include "backends/cuda/status.h"
#include "backends/cuda/strided_copy.h"
#include "backends/packed.h"
#include "base/error.h"
#include "base/text.h"
#include "layers/convolution/int8_weights_cuda.h"
#include "layers/convolution/weight_layout_cuda.h"

#include <algorithm>
#include <cstring>

namespace tenon::cuda {
namespace {

constexpr int64_t kTogether = 16; // channels that tensor cores read at a time

Label const& labelOfX(PrepareArgs const& args) { return args.variant.inputs[kX]; }

/// A bias, or the constant that the zero point of X adds to all sums of a channel.
bool hasOffsets(PrepareArgs const& args) { return hasBias(args.node) || labelOfX(args).zero != 0; }

/// Real value = factor · sum of the integers' products + offset, both per output channel; and the other constants of
/// the graph, including a row with a value for each channel: zero for padding channels, whatever they contain.
struct Int8Packing {
    WeightLayout weights;
    int64_t channels; // of Y, padded
    size_t factorsAt, offsetsAt, inverseScalesAt, zerosAt, operandsAt, bytes;

    Int8Packing(PrepareArgs const& args, ConvolutionShape const& shape)
        : weights(args, shape), channels(padded(args.outputs[0][1], args.variant.outputs[0].format)),
          factorsAt(aligned(weights.bytes(DataType::Int8))), offsetsAt(factorsAt + row()),
          inverseScalesAt(offsetsAt + row()), zerosAt(inverseScalesAt + row()), operandsAt(zerosAt + row()),
          bytes(operandScalesAt(std::max(static_cast<int>(args.inputs.size()), ConvolutionShape::kFirstExtra))) {}

    size_t row() const { return aligned(bytesOf(DataType::Float32, channels)); }
    /// Of an operand of the epilogue.
    size_t operandScalesAt(int input) const {
        return operandsAt + static_cast<size_t>(input - ConvolutionShape::kFirstExtra) * 2 * row();
    }
    /// The constants that are added to its integers: minus its zero point.
    size_t operandShiftsAt(int input) const { return operandScalesAt(input) + row(); }
};

/// X in the form that cuDNN supports, which pads with zeros, symmetrically: as stored, or copied with its padding.
struct Int8Input {
    std::vector<FixedSlide> slides; // with the padding that is left to cuDNN
    Dims dims;
    std::optional<StridedCopy> copy;

    Int8Input(PrepareArgs const& args, ConvolutionShape const& shape)
        : slides(settled(shape.forwards())), dims(paddedDims(args.inputs[kX], labelOfX(args).format)) {
        bool const hasPadding = withPadding(dims, slides) != dims;
        if (!hasPadding || (labelOfX(args).zero == 0 && isEven(slides))) return;
        copy = copyWithPadding(args, slides);
        dims = withPadding(dims, slides);
        for (FixedSlide& slide : slides) slide.pre = slide.post = 0;
    }

    /// In the workspace.
    size_t bytes() const { return copy ? aligned(bytesOf(DataType::Int8, dims.volume())) : 0; }
};

/// The graph of one convolution, in the order in which its tensors are passed to the plan.
class Int8Graph {
public:
    Int8Graph(PrepareArgs const& args, ConvolutionShape const& shape, Int8Input const& input)
        : args_(args), packing_(args, shape),
          y_(withTwoSpatialAxes(paddedDims(args.outputs[0], args.variant.outputs[0].format))) {
        Dims const w = withTwoSpatialAxes(packing_.weights.dims);
        int64_t const x = tensor(DataType::Int8, withTwoSpatialAxes(input.dims), {input.copy ? kCopied : kX, 0});
        int64_t const weights = tensor(DataType::Int8, w, {kPacked, 0});
        int64_t const sums = graph_.intermediate(y_, stridesOf(y_, true), DataType::Int32);
        graph_.convolve(windowOf(input.slides), x, weights, sums);
        current_ = sums;
        compute({CUDNN_POINTWISE_MUL}, perChannel(packing_.factorsAt));
        if (hasOffsets(args)) compute({CUDNN_POINTWISE_ADD}, perChannel(packing_.offsetsAt));
        for (CudnnStep const& step : fusedSteps(args, shape)) add(step);
        Label const& y = args.variant.outputs[0];
        if (y.scale != 0) compute({CUDNN_POINTWISE_MUL}, perChannel(packing_.inverseScalesAt));
        if (y.zero != 0) compute({CUDNN_POINTWISE_ADD}, perChannel(packing_.zerosAt));
        store();
    }

    struct Place {
        int input; // of the node, or one of those below
        size_t at; // bytes from its start
    };
    static constexpr int kPacked = -1;
    static constexpr int kOutput = -2;
    static constexpr int kCopied = -3;

    std::vector<Place> const& places() const { return places_; }
    CudnnGraph& graph() { return graph_; }

private:
    int64_t tensor(DataType type, Dims const& dims, Place place) {
        places_.push_back(place);
        return graph_.tensor(type, dims, stridesOf(dims, true));
    }
    int64_t perChannel(size_t at) {
        Dims dims = Dims::filled(y_.rank(), 1);
        dims[1] = y_[1];
        return tensor(DataType::Float32, dims, {kPacked, at});
    }

    /// An operation is added when the next one is known or missing, because the last one writes Y.
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
        if (label.zero != 0) operand = moved(CUDNN_POINTWISE_ADD, operand, packing_.operandShiftsAt(step.input));
        if (label.scale != 0) operand = moved(CUDNN_POINTWISE_MUL, operand, packing_.operandScalesAt(step.input));
        compute(step.operation, operand);
    }
    int64_t moved(cudnnPointwiseMode_t mode, int64_t operand, size_t rowAt) {
        int64_t const row = perChannel(rowAt);
        int64_t const result = graph_.intermediate(y_, stridesOf(y_, true));
        graph_.compute({mode}, operand, row, result);
        return result;
    }

    PrepareArgs const& args_;
    Int8Packing packing_;
    Dims y_;
    CudnnGraph graph_;
    std::vector<Place> places_;
    int64_t current_ = -1;
    std::optional<CudnnPointwise> waiting_;
    int64_t operand_ = -1;
};

// X [N,C,in…] int8 with any zero point, W [K,C,window…] int8 → Y [N,K,out…]
class RunInt8Convolution final : public Executable {
public:
    RunInt8Convolution(PrepareArgs const& args, ConvolutionShape const& shape) : packed_(args.packedData) {
        expectPacked(args, Int8Packing(args, shape).bytes);
        size_t const fused = fusedSteps(args, shape).size();
        if (fused != shape.epilogue.size() && args.variant.outputs[0].scale != 0) // other steps compute real values
            fail(ErrorCode::Unsupported, "cuDNN fuses ", fused, " of ", shape.epilogue.size(),
                 " steps with this convolution of int8 ", args.inputs[kX], " to ", args.outputs[0]);
        Int8Input const input(args, shape);
        if (input.copy) copied_.emplace(Copied{StridedCopier(*input.copy), input.bytes(), labelOfX(args).zero});
        Int8Graph made(args, shape, input);
        epilogue_.emplace(args, shape.epilogue, fused);
        plan_ = made.graph().plan({});
        if (!plan_)
            fail(ErrorCode::Unsupported, "cuDNN has no engine for this convolution of int8 ", args.inputs[kX], " to ",
                 args.outputs[0], "; disable int8 for it: remove the range of its input");
        places_ = made.places();
        pointers_.resize(places_.size());
    }

    size_t workspaceBytes() const override { return copiedBytes() + plan_->workspaceBytes(); }

    void run(Pointers const& pointers) override {
        if (copied_) copied_->launch(pointers);
        for (size_t i = 0; i < places_.size(); ++i) pointers_[i] = find(places_[i], pointers);
        plan_->run(pointers_, static_cast<char*>(pointers.workspace) + copiedBytes(), pointers.stream);
        epilogue_->launch(pointers);
    }

private:
    /// X with its padding, which has the value 0, at the start of the workspace.
    struct Copied {
        StridedCopier copier;
        size_t bytes;
        int32_t zero;

        void launch(Pointers const& pointers) const {
            check(cudaMemsetAsync(pointers.workspace, zero, bytes, streamOf(pointers.stream)), "cudaMemsetAsync");
            copier.launch(pointers.inputs[kX], pointers.workspace, pointers.stream);
        }
    };

    size_t copiedBytes() const { return copied_ ? copied_->bytes : 0; }

    void* find(Int8Graph::Place const& place, Pointers const& pointers) const {
        if (place.input == Int8Graph::kOutput) return pointers.outputs[0];
        if (place.input == Int8Graph::kCopied) return pointers.workspace;
        if (place.input == Int8Graph::kPacked) return const_cast<char*>(static_cast<char const*>(packed_)) + place.at;
        return const_cast<void*>(pointers.inputs[place.input]);
    }

    void const* packed_;
    std::optional<Copied> copied_;
    std::unique_ptr<CudnnPlan> plan_;
    std::optional<EpilogueRun> epilogue_; // the steps that cuDNN does not fuse
    std::vector<Int8Graph::Place> places_;
    std::vector<void*> pointers_; // the addresses of these tensors
};

// ---- what is offered

/// Int8 if the tensor has a scale, else the narrowest float type in which it may be stored.
Label int8OperandLabel(KernelQuery const& query, Tensor const& operand, Format const& format) {
    if (query.mayBeInt8(operand)) return int8Label(operand, format);
    std::vector<DataType> const types = query.typesOf(operand);
    return {types.size() > 1 ? types[1] : types[0], format, kCuda};
}

/// Operands are read in int8 if allowed, or all in the type of Y.
Variant variantFor(KernelQuery const& query, Label const& y, bool readsIntegers) {
    Node const& node = query.node;
    Label const x = int8Label(*node.input(kX), int8FormatOf(query.inputs[kX], DataType::Int8));
    Variant variant = convolutionVariant(query, x, y);
    for (size_t i = ConvolutionShape::kFirstExtra; readsIntegers && i < variant.inputs.size(); ++i)
        variant.inputs[i] = int8OperandLabel(query, *node.input(static_cast<int>(i)), y.format);
    variant.compute = DataType::Int8;
    return variant;
}

double costOf(PrepareArgs const& args, ConvolutionShape const& shape) {
    Variant const& variant = args.variant;
    double const speed = 0.37 * costs().int8; // that cuDNN reaches
    auto bytes = static_cast<double>(args.inputs[kWeights].volume() + bytesOf(args.outputs[0], variant.outputs[0]));
    for (size_t i = 0; i < args.inputs.size(); ++i) {
        if (!isPacked(variant, static_cast<int>(i)))
            bytes += static_cast<double>(bytesOf(args.inputs[i], variant.inputs[i]));
    }
    Int8Input const input(args, shape);
    double const copy = input.copy ? 2 * kernelCost(static_cast<double>(input.bytes())) : 0; // filled, and then written
    double const padding = static_cast<double>(input.dims[1]) / static_cast<double>(args.inputs[kX][1]);
    return copy + kernelCost(bytes, padding * shape.operations(args.inputs, args.outputs), speed);
}

/// Whether cuDNN supports int8 here: queried once, with a small convolution.
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
    if (std::string why = int8Refusal(query, shape); !why.empty()) return why;
    if (!cudnnLibrary().isThere()) return "cuDNN 9 is not found";
    if (!query.allowCompiled) return "requires engines that cuDNN compiles, which the tactic sources exclude";
    if (shape.groups != 1) return "supports one group of channels";
    if (!fillsWindows(settled(shape.forwards()))) return "does not support fewer windows than fit";
    return cudnnKnowsInt8() ? "" : "this cuDNN has no int8 engine";
}

void packNumbers(PrepareArgs const& args, Int8Packing const& packing, Int8Channels const& channels, char* to) {
    Variant const& variant = args.variant;
    Label const& y = variant.outputs[0];
    for (size_t k = 0; k < channels.count(); ++k) {
        auto const put = [&](size_t at, float value) {
            std::memcpy(to + at + k * sizeof(float), &value, sizeof value);
        };
        double const zeros = double{channels.factor(k)} * static_cast<double>(channels.shift(k));
        put(packing.factorsAt, channels.factor(k));
        put(packing.offsetsAt, static_cast<float>(double{channels.bias(k)} - zeros));
        put(packing.inverseScalesAt, y.scale == 0 ? 0 : 1 / y.scale);
        put(packing.zerosAt, static_cast<float>(y.zero));
        for (int i = ConvolutionShape::kFirstExtra; i < static_cast<int>(variant.inputs.size()); ++i) {
            Label const& operand = variant.inputs[static_cast<size_t>(i)];
            put(packing.operandScalesAt(i), operand.scale);
            put(packing.operandShiftsAt(i), static_cast<float>(-operand.zero));
        }
    }
}

Offer offerInt8Convolution(KernelQuery const& query, ConvolutionShape const& shape) {
    if (std::string why = refusal(query, shape); !why.empty()) return Offer::refuse(std::move(why));
    Offer offer;
    for (Label const& y : int8ResultLabels(query)) {
        Variant variant = variantFor(query, y, true);
        PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
        bool const areFused = fusedSteps(args, shape).size() == shape.epilogue.size();
        if (!areFused && y.scale != 0) continue;
        if (!areFused) variant = variantFor(query, y, false);
        variant.cost = costOf(args, shape);
        if (!areFused) variant.cost += kernelCost(2.0 * static_cast<double>(bytesOf(query.outputs[0], y)));
        offer.variants.push_back(std::move(variant));
    }
    return offer;
}

std::string int8ConvolutionKey(Variant const& variant) {
    return text("cudnn int8 rows ", variant.inputs[kX], " to ", variant.outputs[0]);
}

// W [K,C,window…], bias [K] → W [K padded,window…,C padded] int8, rows of numbers [K padded]
Packed packInt8Convolution(PrepareArgs const& args, ConvolutionShape const& shape) {
    Int8Packing const packing(args, shape);
    auto const memory = allocateHost(packing.bytes);
    auto* const bytes = static_cast<char*>(memory.get());
    std::memset(bytes, 0, packing.bytes);
    Literal const& weights = *args.node.input(kWeights)->literal();
    Int8Channels channels(args);
    packing.weights.place(
        weights, [&](int64_t at, int64_t k, float value) { bytes[at] = static_cast<char>(channels.take(k, value)); });
    packNumbers(args, packing, channels, bytes);
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
