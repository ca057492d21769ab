// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/blocked_convolution_cpu.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/onednn_epilogue.h"
#include "backends/cpu/through_float.h"
#include "backends/packed.h"
#include "base/error.h"
#include "layers/convolution/convolution.h"
#include "layers/convolution/convolution_shape.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int kX = ConvolutionShape::kX;
constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int kBias = ConvolutionShape::kBias;

ElementOrder weightOrder(BlockedConvolution const& p) {
    int64_t const taps = p.taps();
    int64_t const panel = p.segments() * p.xBlock * p.panelColumns;
    int64_t const each = p.inChannels * taps;
    return {{p.groups, p.outChannels, p.inChannels, taps},
            {p.outChannels * each, each, taps, 1},
            {p.panels * panel, panel, taps * p.xBlock * p.panelColumns, p.xBlock * p.panelColumns},
            {p.xBlock, p.panelColumns},
            {2, 1}};
}

/// Each group's begins with a panel.
ElementOrder biasOrder(BlockedConvolution const& p) {
    return {{p.groups, p.outChannels}, {p.outChannels, 1}, {p.panels * p.panelColumns, 1}, {}, {}};
}

/// A row of a box, `from` being that of X, null where it is beyond.
void copyRow(BlockedConvolution const& p, BoxOfX const& box, float const* from, float* to) {
    int64_t const length = box.extents[2] * p.xBlock;
    if (from == nullptr) return void(std::fill_n(to, length, 0.0F));
    int64_t const before = std::clamp<int64_t>(-box.first[2], 0, box.extents[2]) * p.xBlock;
    int64_t const end = std::clamp<int64_t>(p.in[2] - box.first[2], 0, box.extents[2]) * p.xBlock;
    std::fill_n(to, before, 0.0F);
    if (end > before) std::copy_n(from + box.first[2] * p.xBlock + before, end - before, to + before);
    std::fill(to + std::max(before, end), to + length, 0.0F);
}

} // namespace

BlockedConvolution::BlockedConvolution(PrepareArgs const& args) {
    ConvolutionShape const shape(args.node, args.inputs);
    Dims const& x = args.inputs[kX];
    Dims const& w = args.inputs[kWeights];
    items = x[0];
    groups = shape.groups;
    inChannels = w[1];
    outChannels = w[0] / groups;
    block = args.variant.outputs[0].format.block;
    xBlock = args.variant.inputs[kX].format.block;
    in = out = window = stride = dilation = {1, 1, 1};
    pre = {};
    size_t axis = in.size() - shape.slides.size();
    for (FixedSlide const& slide : shape.slides) {
        in[axis] = slide.in;
        out[axis] = slide.out;
        window[axis] = slide.size;
        stride[axis] = slide.stride;
        dilation[axis] = slide.dilation;
        pre[axis] = slide.pre;
        ++axis;
    }
    panels = ceilDiv(outBlocks(), bestLoops<BlockProductLoops>().panel / block);
    panelColumns = ceilDiv(outBlocks(), panels) * block;
}

int64_t BlockedConvolution::blocksOf(int64_t panel) const {
    int64_t const all = panelColumns / block;
    return std::min(all, outBlocks() - panel * all);
}

double BlockedConvolution::operations() const {
    return 2 * static_cast<double>(items * groups * outBlocks() * block * out[0] * out[1] * out[2]) *
           static_cast<double>(inChannels * taps());
}

BlockProduct BlockedConvolution::productOf(Packed const& packed, int64_t group, int64_t panel) const {
    auto const* const weights = static_cast<float const*>(packed.bytes.data());
    return {.segments = segments(),
            .depth = xBlock,
            .whole = xBlock == block ? inChannels / xBlock * taps() : 0,
            .tail = tail(),
            .w = weights + weightsAt(group, panel),
            .wPitch = panelColumns,
            .bias = weights + biasAt(group, panel),
            .columns = blocksOf(panel) * block};
}

void expectFloats(PrepareArgs const& args, int64_t floats) {
    if (!args.packed) fail(ErrorCode::InvalidState, args.node, ": its weights were left out of the engine");
    expectPacked(args, sizeof(float) * static_cast<size_t>(floats));
}

void BlockedConvolution::clearPadding(float* y, int64_t positions) const {
    int64_t const used = outChannels % block;
    for (int64_t i = 0; i < positions && used != 0; ++i) std::fill(y + i * block + used, y + (i + 1) * block, 0.0F);
}

void copyBox(BlockedConvolution const& p, float const* x, BoxOfX const& box, float* to) {
    x += (box.item * p.groups + box.group) * p.inBlocks() * p.in[0] * p.planeOfX();
    for (int64_t channels = 0; channels < p.inBlocks(); ++channels) {
        for (int64_t i = 0; i < box.extents[0]; ++i) {
            int64_t const plane = box.first[0] + i * box.planeStep;
            bool const isThere = plane >= 0 && plane < p.in[0];
            float const* const from = isThere ? x + (channels * p.in[0] + plane) * p.planeOfX() : nullptr;
            for (int64_t r = 0; r < box.extents[1]; ++r, to += box.extents[2] * p.xBlock) {
                int64_t const row = box.first[1] + r;
                bool const isRow = from != nullptr && row >= 0 && row < p.in[1];
                copyRow(p, box, isRow ? from + row * p.in[2] * p.xBlock : nullptr, to);
            }
        }
    }
}

Packed packBlocked(PrepareArgs const& args) {
    Variant const variant = inFloat(args.variant);
    BlockedConvolution const p({args.node, variant, args.inputs, args.outputs, nullptr});
    StridedWeights weights(DataType::Float32);
    weights.addFloats(*args.node.input(kWeights)->literal(), weightOrder(p), 0);
    size_t const bias = sizeof(float) * static_cast<size_t>(p.weightFloats());
    if (Tensor const* const given = args.node.input(kBias)) weights.addFloats(*given->literal(), biasOrder(p), bias);
    return std::move(weights).finish(blockedPackKey(variant),
                                     bias + sizeof(float) * static_cast<size_t>(p.biasFloats()));
}

std::string blockedPackKey(Variant const& variant) {
    auto const& loops = bestLoops<BlockProductLoops>();
    return text("blocked convolution 1, panels of ", loops.panel, ", blocks of ", variant.inputs[kX].format.block,
                " to ", loops.block);
}

std::string inputRefusal(KernelQuery const& query) {
    if (query.outputs[0].volume() == 0 || query.inputs[kX].volume() == 0) return "takes no empty tensors";
    for (int i : {kWeights, kBias}) {
        if (query.node.input(i) && !query.node.input(i)->literal()) return "takes constant weights";
    }
    return {};
}

std::string blockedRefusal(KernelQuery const& query) {
    if (as<Convolution>(*query.node.layer) == nullptr) return "computes convolutions";
    ConvolutionShape const shape(query.node, query.inputs);
    if (shape.slides.size() > 3) return text("takes 1 to 3 spatial axes, not ", shape.slides.size());
    if (std::string refusal = inputRefusal(query); !refusal.empty()) return refusal;
    int64_t const block = channelBlock();
    bool const fits =
        query.inputs[kX][1] / shape.groups % block == 0 && query.outputs[0][1] / shape.groups % block == 0;
    if (shape.groups != 1 && !fits) return text("takes groups of whole blocks of ", block, " channels");
    return {};
}

Offer offerBlocked(KernelQuery const& query, std::span<Format const> formats, CostOf costOf) {
    Format const blocked = Format::blocked(channelBlock());
    auto const epilogue = ConvolutionShape(query.node, query.inputs).epilogue;
    Offer offer = offerFloats(query, [&](DataType type, Offer& to) {
        for (Format const& format : formats) {
            if (!query.isAbout(format, blocked)) continue;
            Label const x{DataType::Float32, format, Device::Cpu};
            Label const y{DataType::Float32, blocked, Device::Cpu};
            ConvolutionInputs const inputs(query.node, x, y);
            Variant variant{.inputs = inputs.labels, .outputs = {y}, .packed = inputs.packed};
            PrepareArgs const args{query.node, variant, query.inputs, query.outputs, nullptr};
            size_t const done = HotSteps(args, epilogue).count();
            if (!finishesInPlace(args, epilogue, done)) continue;
            variant.cost = costOf(args) + finishingCost(args, epilogue.size() - done);
            to.variants.push_back(storedAs(type, query, variant));
        }
    });
    if (offer.variants.empty() && isFloat(query.node.input(kX)->type))
        offer.refusal = "does not support the layout of an operand of the epilogue";
    return offer;
}

std::unique_ptr<Executable> finishedHot(PrepareArgs const& args,
                                        std::function<std::unique_ptr<Executable>(HotSteps)> const& make) {
    auto const epilogue = ConvolutionShape(args.node, args.inputs).epilogue;
    HotSteps steps(args, epilogue);
    size_t const done = steps.count();
    if (!finishesInPlace(args, epilogue, done)) // a plan may say so
        fail(ErrorCode::Unsupported, args.node, ": its epilogue does not fit the layout of its output");
    return finishedInPlace(args, epilogue, done, make(std::move(steps)));
}

} // namespace tenon::cpu
