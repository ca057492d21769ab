// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/blocked_convolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/through_float.h"
#include "base/error.h"
#include "layers/convolution/convolution.h"
#include "layers/convolution/convolution_shape.h"
#include "layers/quanta.h"

#include <algorithm>
#include <bit>

namespace tenon::cpu {
namespace {

constexpr int kX = ConvolutionShape::kX;
constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int kBias = ConvolutionShape::kBias;

/// Words of X that are multiplied together.
int64_t xBlockOf(Label const& x) {
    return x.format.channelsLast ? channelBlock() : ceilDiv(x.format.block, perWord(x.type));
}

/// A byte repeated four times.
float wordOf(int32_t byte) { return std::bit_cast<float>(0x01010101U * static_cast<uint8_t>(byte)); }

} // namespace

BlockedConvolution blockedOf(PrepareArgs const& args) {
    BlockedConvolution p;
    ConvolutionShape const shape(args.node, args.inputs);
    Dims const& x = args.inputs[kX];
    Dims const& w = args.inputs[kWeights];
    p.items = x[0];
    p.groups = shape.groups;
    Label const& label = args.variant.inputs[kX];
    p.type = label.type;
    p.padding = wordOf(label.zero); // 0 for floats
    p.inChannels = ceilDiv(w[1], perWord(p.type));
    p.outChannels = w[0] / p.groups;
    p.block = channelBlock();
    p.xBlock = xBlockOf(label);
    p.xIsLast = label.format.channelsLast;
    p.yIsLast = args.variant.outputs[0].format.channelsLast;
    p.in = p.out = p.window = p.stride = p.dilation = {1, 1, 1};
    p.pre = {};
    size_t axis = p.in.size() - shape.slides.size();
    for (FixedSlide const& slide : shape.slides) {
        p.in[axis] = slide.in;
        p.out[axis] = slide.out;
        p.window[axis] = slide.size;
        p.stride[axis] = slide.stride;
        p.dilation[axis] = slide.dilation;
        p.pre[axis] = slide.pre;
        ++axis;
    }
    p.cutPanels();
    return p;
}

Packed packBlocked(PrepareArgs const& args) {
    BlockedConvolution const p = blockedOf({args.node, inFloat(args.variant), args.inputs, args.outputs, nullptr});
    Tensor const* const bias = args.node.input(kBias);
    Literal const& weights = *args.node.input(kWeights)->literal();
    BlockedWeights blocked{weights, weights.dims()[1] * p.taps(), p.taps(), bias ? bias->literal() : nullptr};
    if (!p.isOfIntegers()) return packBlocked(p, blocked);
    blocked.scales = weightScales(*args.node.input(kWeights), 0, true);
    Literal const whole = wholeWeights(weights, 0, blocked.scales);
    return packBlocked(p, {whole, blocked.output, blocked.input, blocked.bias, blocked.scales});
}

std::string blockedPackKey(Variant const& variant) {
    Label const x = inFloat(variant).inputs[kX];
    return blockedPackKey(x.type, xBlockOf(x));
}

std::string inputRefusal(KernelQuery const& query) {
    if (query.outputs[0].volume() == 0 || query.inputs[kX].volume() == 0) return "does not support empty tensors";
    for (int i : {kWeights, kBias}) {
        if (query.node.input(i) && !query.node.input(i)->literal()) return "requires constant weights";
    }
    return {};
}

std::string blockedRefusal(KernelQuery const& query) {
    if (as<Convolution>(*query.node.layer) == nullptr) return "supports convolutions only";
    ConvolutionShape const shape(query.node, query.inputs);
    if (shape.slides.size() > 3) return text("supports 1 to 3 spatial axes, not ", shape.slides.size());
    if (std::string refusal = inputRefusal(query); !refusal.empty()) return refusal;
    return {};
}

bool hasWholeBlocks(int64_t channels, int64_t groups) { return groups == 1 || channels / groups % channelBlock() == 0; }

Offer offerBlocked(KernelQuery const& query, std::span<FormatPair const> formats, CostOf costOf, bool pairs) {
    auto const epilogue = ConvolutionShape(query.node, query.inputs).epilogue;
    Offer offer = offerFloats(query, [&](DataType type, Offer& to) {
        DataType const compute = pairs && type == DataType::BFloat16 ? type : DataType::Float32;
        for (auto const& [from, into] : formats) {
            bool const isTaken = compute == DataType::Float32 || !from.isLinear(); // pairs consist of channels
            if (!isTaken || !query.isAbout(from, into)) continue;
            Label const x{compute, from, Device::Cpu};
            Label const y{compute, into, Device::Cpu};
            forOperandLabels(query.node, ConvolutionShape::kFirstExtra, y, [&](std::span<Label const> operands) {
                ConvolutionInputs const inputs(query.node, x, y);
                Variant variant{.inputs = inputs.labels, .outputs = {y}, .packed = inputs.packed, .compute = compute};
                std::ranges::copy(operands, variant.inputs.end() - std::ssize(operands));
                PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
                size_t const done = HotSteps(args, epilogue).count();
                if (!finishesInPlace(args, epilogue, done)) return;
                variant.cost = costOf(args) + finishingCost(args, epilogue.size() - done);
                to.variants.push_back(storedAs(type, query, variant));
            });
        }
    });
    if (offer.variants.empty() && isFloat(query.node.input(kX)->type))
        offer.refusal = "does not support the layout of an operand of the epilogue";
    return offer;
}

std::unique_ptr<Executable> finishedHot(PrepareArgs const& args,
                                        std::function<std::unique_ptr<Executable>(HotSteps)> const& make,
                                        HotRows const& rows) {
    auto const epilogue = ConvolutionShape(args.node, args.inputs).epilogue;
    HotSteps steps(args, epilogue, rows);
    size_t const done = steps.count();
    if (!finishesInPlace(args, epilogue, done)) // a plan may be malformed
        fail(ErrorCode::Unsupported, args.node, ": its epilogue does not fit the layout of its output");
    return finishedInPlace(args, epilogue, done, make(std::move(steps)));
}

} // namespace tenon::cpu
