// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "layers/convolution/convolution_parts_cpu.h"

#include "base/parallel.h"

#include <algorithm>

namespace tenon::cpu {
namespace {

constexpr int kX = ConvolutionShape::kX;
constexpr int kWeights = ConvolutionShape::kWeights;
constexpr int kBias = ConvolutionShape::kBias;
constexpr int kItems = 0;
constexpr int kChannels = 1;
constexpr int kRows = 2;

/// The unit of channels of a part of the result: whole blocks, of whole groups.
int64_t channelUnit(PrepareArgs const& args, ConvolutionShape const& shape) {
    int64_t const block = std::max(args.variant.outputs[0].format.block, args.variant.inputs[kX].format.block);
    if (shape.groups == 1) return block;
    int64_t const ofY = args.outputs[0][1] / shape.groups;
    int64_t const ofX = args.inputs[kX][1] / shape.groups;
    int64_t groups = 1; // whose channels fill blocks on both sides
    while (groups < shape.groups && (groups * ofY % block != 0 || groups * ofX % block != 0)) ++groups;
    return groups * ofY;
}

/// The work of a convolution that is to be cut.
struct Cutting {
    int64_t parts; // maximum
    int threads;   // for which the cut may be made; 0: it must not depend on their number
    bool mayCutChannels;
};

std::vector<Range> rangesOfChannels(PrepareArgs const& args, ConvolutionShape const& shape, Cutting const& cutting) {
    constexpr int kAnyThreads = 8;
    int64_t const channels = args.outputs[0][kChannels];
    int64_t const unit = channelUnit(args, shape);
    int64_t const units = (channels + unit - 1) / unit;
    int const threads = cutting.threads == 0 ? kAnyThreads : cutting.threads;
    int64_t const each = shape.groups == 1 ? blocksOfPart(units, cutting.parts, threads) : 1;
    return rangesOf(kChannels, channels, unit * each, cutting.parts);
}

/// The cuts of one item of the batch.
std::vector<Range> rangesOfItem(PrepareArgs const& args, ConvolutionShape const& shape, Cutting const& cutting) {
    if (args.variant.outputs[0].format.channelsLast)
        return shape.backwards ? std::vector<Range>() : rangesOf(kRows, args.outputs[0][kRows], 1, cutting.parts);
    return cutting.mayCutChannels ? rangesOfChannels(args, shape, cutting) : std::vector<Range>();
}

Ways waysOf(PrepareArgs const& args, ConvolutionShape const& shape, Cutting const& cutting) {
    int64_t const parts = cutting.parts;
    if (parts == 1) return {};
    int64_t const items = args.outputs[0][kItems];
    std::vector<Cuts> byItems;
    for (Range const& range : rangesOf(kItems, items, 1, parts)) byItems.push_back({range});
    if (items >= parts) return {byItems};
    Cutting const ofItem{(parts + items - 1) / items, cutting.threads, cutting.mayCutChannels};
    std::vector<Cuts> finer;
    for (Range const& item : rangesOf(kItems, items, 1, items)) {
        for (Range const& range : rangesOfItem(args, shape, ofItem)) finer.push_back({item, range});
    }
    return {finer, byItems};
}

/// The objects that the PrepareArgs of a part refer to.
struct PartArgs {
    std::vector<Dims> inputs;
    Dims output;

    explicit PartArgs(ConvolutionPart const& part) : output(part.output.dims) {
        for (Slice const& input : part.inputs) inputs.push_back(input.dims);
    }
    PrepareArgs of(PrepareArgs const& whole) const {
        return {whole.node, whole.variant, inputs, std::span(&output, 1), whole.packed, whole.packedData};
    }
};

std::optional<ProductPart> partOf(PrepareArgs const& args, ConvolutionShape const& shape,
                                  std::span<DnnlWanted const> weights, Cuts const& cuts, DescribePart const& describe) {
    ConvolutionPart part(args, shape);
    int64_t channel = 0;
    for (Range const& range : cuts) {
        if (!part.cut(args, range)) return std::nullopt;
        if (range.axis == kChannels) channel = range.begin;
    }
    PartArgs const own(part);
    auto made = describe(own.of(args), part.shape);
    if (!made) return std::nullopt;
    ProductPart product{*std::move(made), {}, part.output.offset, {}, {}};
    for (Slice const& input : part.inputs) product.inputs.push_back(input.offset);
    for (DnnlWanted const& wanted : weights) {
        bool const isBias = wanted.from.argument == DNNL_ARG_BIAS;
        auto const desc = isBias ? listOf(part.output.dims[kChannels]) : product.made.weights();
        int64_t const perIndex = isBias || shape.groups == 1 ? 1 : args.outputs[0][kChannels] / shape.groups;
        auto const at = weightOffset(wanted.desc, desc, 0, channel / perIndex);
        if (!at) return std::nullopt;
        product.weights.push_back(*at);
        product.weightDescs.push_back(desc);
    }
    return product;
}

} // namespace

ConvolutionPart::ConvolutionPart(PrepareArgs const& args, ConvolutionShape const& whole)
    : shape(whole), output{args.outputs[0]} {
    for (Dims const& dims : args.inputs) inputs.push_back({dims});
}

bool ConvolutionPart::cut(PrepareArgs const& args, Range const& range) {
    int const rank = output.dims.rank();
    if (range.extent() == output.dims[range.axis]) return true;
    auto const y = sliceOf(output, args.variant.outputs[0], range);
    if (!y) return false;
    output = *y;
    for (size_t i = ConvolutionShape::kFirstExtra; i < inputs.size(); ++i) {
        auto const operand = operandSliceOf(inputs[i], args.variant.inputs[i], range, rank);
        if (!operand) return false;
        inputs[i] = *operand;
    }
    if (range.axis == kChannels) return cutChannels(args, range);
    if (range.axis == kRows) return cutRows(args, range);
    auto const x = sliceOf(inputs[kX], args.variant.inputs[kX], range);
    if (x) inputs[kX] = *x;
    return x.has_value();
}

bool ConvolutionPart::cutChannels(PrepareArgs const& args, Range const& range) {
    int64_t const perGroup = args.outputs[0][kChannels] / shape.groups;
    if (shape.groups == 1) {
        inputs[kWeights].dims[shape.backwards ? 1 : 0] = range.extent();
    } else {
        if (shape.backwards || range.begin % perGroup != 0 || range.end % perGroup != 0) return false;
        int64_t const ofX = args.inputs[kX][kChannels] / shape.groups;
        auto const x = sliceOf(inputs[kX], args.variant.inputs[kX],
                               {kChannels, range.begin / perGroup * ofX, range.end / perGroup * ofX});
        if (!x) return false;
        inputs[kX] = *x;
        inputs[kWeights].dims[0] = range.extent();
        shape.groups = range.extent() / perGroup;
    }
    if (args.node.input(kBias)) inputs[kBias].dims[0] = range.extent();
    return true;
}

bool ConvolutionPart::cutRows(PrepareArgs const& args, Range const& range) {
    FixedSlide& slide = shape.slides[0];
    int64_t const reach = (slide.size - 1) * slide.dilation + 1;
    int64_t const first = range.begin * slide.stride - slide.pre;
    int64_t const end = (range.end - 1) * slide.stride - slide.pre + reach;
    Range const rows{kRows, std::max<int64_t>(first, 0), std::min(end, slide.in)};
    if (rows.extent() <= 0) return false; // of padding alone
    auto const x = sliceOf(inputs[kX], args.variant.inputs[kX], rows);
    if (!x) return false;
    inputs[kX] = *x;
    slide.pre = rows.begin - first;
    slide.post = end - rows.end;
    slide.in = rows.extent();
    slide.out = range.extent();
    return true;
}

std::vector<ProductPart> partsOf(PrepareArgs const& args, ConvolutionShape const& shape, WholeConvolution const& whole,
                                 bool mayCutChannels, DescribePart const& describe) {
    int64_t const parts = partsWorth(whole.nanoseconds, whole.product);
    Cutting const cutting{parts, whole.product.is("gemm") ? 0 : usefulSlots(parts, 1), mayCutChannels};
    auto const part = [&](Cuts const& cuts) { return partOf(args, shape, whole.weights, cuts, describe); };
    return partsBy(waysOf(args, shape, cutting), whole.nanoseconds, whole.product, part);
}

} // namespace tenon::cpu
