// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/onednn_convolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/through_float.h"
#include "layers/convolution/convolution_parts_cpu.h"
#include "layers/convolution/convolution_shape.h"
#include "layers/convolution/described_convolution_cpu.h"
#include "layers/convolution/direct_convolution_cpu.h"
#include "layers/convolution/grouped_convolution_cpu.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

using dnnl::memory;

constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int kBias = ConvolutionShape::kBias;

bool hasBias(PrepareArgs const& args) { return args.node.input(kBias) != nullptr; }

/// With at most that many steps of the epilogue as post-ops; nullopt if oneDNN has no primitive for these labels.
std::optional<DnnlProduct> make(PrepareArgs const& args, ConvolutionShape const& convolution, size_t mostSteps) {
    auto epilogue = dnnlEpilogue(args, convolution.epilogue, mostSteps);
    if (!epilogue) return std::nullopt;
    DataType const type = args.variant.inputs[0].type;
    return describeConvolution(args, convolution, *std::move(epilogue), {type, type, hasBias(args)});
}

/// After a matrix product oneDNN computes post-ops as scalars, except a single ReLU, and before 3.5 reads their
/// operands at wrong offsets if channels are last. After every backward convolution it does the same, except for the
/// offsets.
bool finishesBadly(DnnlProduct const& made, ConvolutionShape const& convolution) {
    if (made.epilogue.steps == 0) return false;
    PointwiseOp const first = convolution.epilogue[0].op;
    bool const isRelu = made.epilogue.steps == 1 && (first == PointwiseOp::Relu || first == PointwiseOp::LeakyRelu);
    return convolution.backwards || (made.is("gemm") && !isRelu);
}

std::optional<DnnlProduct> make(PrepareArgs const& args, ConvolutionShape const& convolution) {
    auto made = make(args, convolution, SIZE_MAX);
    return made && finishesBadly(*made, convolution) ? make(args, convolution, 0) : made;
}

// ---- what is offered, and what it costs

/// Floating point operations a nanosecond of one thread, by the name of oneDNN's implementation; 0: not worth offering.
double speedOf(std::string_view implementation, DataType type, bool depthwise, bool backwards) {
    auto const has = [&](std::string_view part) { return implementation.find(part) != std::string_view::npos; };
    if (has("ref")) return 0;
    Costs const& costs = backend().costs();
    double const ofType = costs.peak(type) / costs.float32;
    double const wide = costs.float32 / 100 * (has("amx") ? ofType : std::min(ofType, 2.0)); // AMX is in its name
    if (depthwise) return (has("gemm") ? 2 : has("jit_dw") ? 65 : 55) * wide;
    if (backwards) return (has("gemm") ? 2 : 8) * wide; // computed as the gradient of a convolution
    if (has("gemm")) return 45 * wide;
    if (has("brgconv")) return 110 * wide;
    return 115 * wide;
}

double roundUp(int64_t value, int block) { return static_cast<double>((value + block - 1) / block * block); }

double costOf(PrepareArgs const& args, ConvolutionShape const& convolution, double speed) {
    Dims const& x = args.inputs[0];
    Dims const& y = args.outputs[0];
    Dims const& w = args.inputs[kWeights];
    int const block = args.variant.outputs[0].format.block; // a block's padding is computed too
    Dims const& channels = convolution.backwards ? x : y;
    double const places = static_cast<double>(channels[0] * channels.volume(2, channels.rank()));
    double const outer =
        convolution.groups == 1 ? roundUp(w[0], block) * static_cast<double>(w[1]) : static_cast<double>(w[0] * w[1]);
    double const flops = 2 * places * outer * static_cast<double>(w.volume(2, w.rank()));
    double const bytes = static_cast<double>(bytesOf(x, args.variant.inputs[0]) + bytesOf(y, args.variant.outputs[0]));
    double const callCost = 1000; // oneDNN's dispatch
    return callCost + std::max(flops / speed, memoryCost(bytes) / 2) + 0.05 * memoryCost(bytes);
}

std::vector<std::pair<Format, Format>> formatsOf(Dims const& x, ConvolutionShape const& convolution) {
    Format const blocked = Format::blocked(channelBlock());
    std::vector<std::pair<Format, Format>> all{{blocked, blocked}, {Format::nhwc(), Format::nhwc()}};
    if (convolution.groups == 1 && x[1] <= 4 && !convolution.backwards) all.push_back({Format::linear(), blocked});
    all.push_back({Format::linear(), Format::linear()});
    return all;
}

Variant labelled(KernelQuery const& query, Label const& x, Label const& y) {
    ConvolutionInputs const inputs(query.node, x, y);
    return {.inputs = inputs.labels, .outputs = {y}, .packed = inputs.packed, .compute = x.type};
}

/// oneDNN prepares each position of a window in the padding separately.
constexpr int64_t kMostPadding = 1 << 12;

int64_t mostPadding(ConvolutionShape const& convolution) {
    int64_t most = 0;
    for (FixedSlide const& slide : convolution.slides) most = std::max({most, slide.pre, slide.post});
    return most;
}

Offer offerConvolution(KernelQuery const& query, ConvolutionShape const& convolution) {
    int const axes = query.inputs[0].rank() - 2;
    if (axes > 3) return Offer::refuse(text("supports 1 to 3 spatial axes, not ", axes));
    if (query.outputs[0].volume() == 0 || query.inputs[0].volume() == 0)
        return Offer::refuse("does not support empty tensors");
    if (mostPadding(convolution) > kMostPadding)
        return Offer::refuse(text("supports padding up to ", kMostPadding, ", not ", mostPadding(convolution)));
    bool const depthwise = convolution.groups != 1 && query.inputs[kWeights][1] == 1;
    bool const isDirect = mayLeaveToOwn(query) && directRefusal(query).empty();
    bool const isGrouped = mayLeaveToOwn(query) && groupedRefusal(query).empty();
    bool isLeft = false;
    Offer offer = offerFloats(query, [&](DataType type, Offer& offer) {
        DataType const compute = computeTypeOf(type);
        bool const isOurs = isGrouped || (isDirect && (compute == DataType::Float32 || directTakesPairs(query)));
        if (isOurs) return void(isLeft = true);
        for (auto const& [from, to] : formatsOf(query.inputs[0], convolution)) {
            if (!query.isAbout(from, to)) continue;
            Variant variant = labelled(query, {compute, from, Device::Cpu}, {compute, to, Device::Cpu});
            PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
            auto const made = make(args, convolution);
            double const speed = made ? speedOf(made->description.impl_info_str(), args.variant.compute, depthwise,
                                                convolution.backwards)
                                      : 0;
            if (speed == 0) continue;
            variant.cost = costOf(args, convolution, speed) +
                           finishingCost(args, convolution.epilogue.size() - made->epilogue.steps);
            offer.variants.push_back(storedAs(type, query, variant));
        }
    });
    if (offer.variants.empty() && isLeft)
        offer.refusal = kLeftToOwn;
    else if (offer.variants.empty())
        offer.refusal = text("has no fast implementation for ", query.inputs[0], ' ', query.node.input(0)->type);
    return offer;
}

Packed packConvolution(PrepareArgs const& given, ConvolutionShape const& convolution) {
    Variant const variant = inFloat(given.variant);
    PrepareArgs const args{given.node, variant, given.inputs, given.outputs, nullptr};
    auto const made = make(args, convolution);
    if (!made) fail(ErrorCode::Internal, args.node, ": oneDNN no longer has the implementation that it offered");
    DnnlWeights weights;
    Literal const& w = *args.node.input(kWeights)->literal();
    weights.add(w, DenseWeights(args, convolution).as(DataType::Float32), made->weights());
    if (args.variant.packs(kBias)) {
        Literal const& bias = *args.node.input(kBias)->literal();
        memory::desc const as = listOf(bias.dims().volume());
        weights.add(bias, as, as);
    }
    return std::move(weights).finish();
}

std::unique_ptr<Executable> prepareInFloat(PrepareArgs const& args, ConvolutionShape const& convolution) {
    auto const made = make(args, convolution);
    if (!made) fail(ErrorCode::Unsupported, args.node, ": oneDNN has no implementation for input ", args.inputs[0]);
    auto const argument = [&](int input, int number, memory::desc const& dense, memory::desc const& wanted) {
        bool const packed = args.variant.packs(input);
        return packed ? DnnlWeights::read(*args.packed, input - kWeights, number, wanted)
                      : DnnlArgument{number, DnnlArgument::Source::Input, input, dense};
    };
    // the order packed for the profile's optimum may not be the best one for these shapes
    auto const dense = DenseWeights(args, convolution).as(args.variant.inputs[kWeights].type);
    std::vector<DnnlWanted> weights{{argument(kWeights, DNNL_ARG_WEIGHTS, dense, made->weights()), made->weights()}};
    if (hasBias(args)) {
        memory::desc const floats = listOf(args.outputs[0][1]);
        memory::desc const given({args.outputs[0][1]}, toDnnl(args.variant.inputs[kBias].type), memory::format_tag::a);
        weights.push_back({argument(kBias, DNNL_ARG_BIAS, given, floats), floats});
    }
    auto const describe = [](PrepareArgs const& part, ConvolutionShape const& shape) { return make(part, shape); };
    bool const depthwise = convolution.groups != 1 && args.inputs[kWeights][1] == 1;
    double const speed =
        speedOf(made->description.impl_info_str(), args.variant.compute, depthwise, convolution.backwards);
    double const nanoseconds = costOf(args, convolution, std::max(speed, 1.0));
    auto const parts = partsOf(args, convolution, {*made, weights, nanoseconds}, true, describe);
    return prepareParts(args, convolution.epilogue, *made, weights, parts);
}

class OneDnnConvolution final : public Kernel {
public:
    std::string_view name() const override { return "onednn_convolution"; }

    Offer offer(KernelQuery const& query) const override {
        return offerConvolution(query, ConvolutionShape(query.node, query.inputs));
    }

    Packed pack(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(),
                         [&] { return packConvolution(args, ConvolutionShape(args.node, args.inputs)); });
    }
    std::string packKey(Variant const&) const override { return dnnlPackKey(); }

    std::unique_ptr<Executable> prepare(PrepareArgs const& args) const override {
        return guardDnnl(args.node, name(), [&] {
            return throughFloat(args, [&](PrepareArgs const& inner) {
                return prepareInFloat(inner, ConvolutionShape(inner.node, inner.inputs));
            });
        });
    }
};

} // namespace

Kernel const& onednnConvolution() {
    static constexpr OneDnnConvolution kernel;
    return kernel;
}

} // namespace tenon::cpu
