// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cpu/blocked_convolution.h"

#include "backends/cpu/cpu_backend.h"
#include "backends/cpu/isa.h"
#include "backends/packed.h"
#include "base/error.h"

#include <algorithm>
#include <cstring>

namespace tenon::cpu {
namespace {

/// The order of weights with these strides of the output and input channels.
ElementOrder weightOrder(BlockedConvolution const& p, int64_t output, int64_t input) {
    int64_t const taps = p.taps();
    int64_t const perWord = cpu::perWord(p.type);
    int64_t const piece = p.xBlock * p.panelColumns * perWord;
    int64_t const panel = p.pieces() * piece;
    ElementOrder order{{p.groups, p.outChannels, p.inChannels * perWord, taps},
                       {p.outChannels * output, output, input, 1},
                       {p.panels * panel, panel, taps * piece, piece},
                       {p.xBlock, p.panelColumns},
                       {2, 1}};
    if (perWord != 1) {
        order.blocks.push_back(perWord);
        order.blocked.push_back(2);
    }
    return order;
}

/// One element per column. Each group starts with a new panel.
ElementOrder columnOrder(BlockedConvolution const& p) {
    return {{p.groups, p.outChannels}, {p.outChannels, 1}, {p.panels * p.panelColumns, 1}, {}, {}};
}

/// Positions of a row, `place` words apart in X and `words` wide in the copy.
struct RowCopy {
    int64_t place, words;
};

/// A row of a box; `from` is that of X, null if it is outside of X.
void copyRow(BlockedConvolution const& p, BoxOfX const& box, RowCopy const& row, float const* from, float* to) {
    int64_t const places = box.extents[2];
    if (from == nullptr) return void(std::fill_n(to, places * row.words, p.padding));
    int64_t const before = std::clamp<int64_t>(-box.first[2], 0, places);
    int64_t const end = std::clamp<int64_t>(p.in[2] - box.first[2], before, places);
    std::fill_n(to, before * row.words, p.padding);
    from += box.first[2] * row.place;
    if (row.place == row.words) {
        std::copy(from + before * row.words, from + end * row.words, to + before * row.words);
    } else {
        for (int64_t i = before; i < end; ++i) std::copy_n(from + i * row.place, row.words, to + i * row.words);
    }
    std::fill(to + end * row.words, to + places * row.words, p.padding);
}

int64_t volumeOf(Extents const& extents) { return extents[0] * extents[1] * extents[2]; }

} // namespace

ChannelSteps::ChannelSteps(bool isLast, int64_t groups, int64_t channels, int64_t places, int64_t blockSize)
    : block(isLast ? blockSize : places * blockSize), place(isLast ? groups * channels : blockSize) {
    group = isLast ? channels : ceilDiv(channels, blockSize) * block;
    item = groups * (isLast ? places * channels : group);
}

ChannelSteps BlockedConvolution::xSteps() const { return {xIsLast, groups, inChannels, volumeOf(in), xBlock}; }
ChannelSteps BlockedConvolution::ySteps() const { return {yIsLast, groups, outChannels, volumeOf(out), block}; }
ChannelSteps BlockedConvolution::copySteps(Extents const& extents) const {
    return {xIsLast, 1, inChannels, volumeOf(extents), xBlock};
}
int64_t BlockedConvolution::copyWords(Extents const& extents) const { return copySteps(extents).item; }

BlockedConvolution BlockedConvolution::ofRows(DataType type, int64_t rows, int64_t in, int64_t out) {
    BlockedConvolution p;
    p.type = type;
    p.items = p.groups = 1;
    p.inChannels = in / perWord(type);
    p.outChannels = out;
    p.block = p.xBlock = channelBlock();
    p.xIsLast = p.yIsLast = true;
    p.in = p.out = {1, rows, 1};
    p.window = p.stride = p.dilation = {1, 1, 1};
    p.pre = {};
    p.cutPanels();
    return p;
}

bool BlockedConvolution::usesTiles() const {
    return type != DataType::Float32 && usesAmx() && xBlock * tapsOfSegment() <= kTileWords;
}

void BlockedConvolution::cutPanels() {
    panels = ceilDiv(outBlocks(), bestLoops<BlockProductLoops>().panel / block);
    panelColumns = ceilDiv(outBlocks(), panels) * block;
}

int64_t BlockedConvolution::blocksOf(int64_t panel) const {
    int64_t const all = panelColumns / block;
    return std::min(all, outBlocks() - panel * all);
}

int64_t BlockedConvolution::columnsOf(int64_t panel) const {
    int64_t const columns = blocksOf(panel) * block;
    return yIsLast ? std::min(columns, outChannels - panel * panelColumns) : columns;
}

double BlockedConvolution::multiplied() const {
    if (!usesTiles()) return 1;
    int64_t const segments = pieces() / tapsOfSegment();
    return static_cast<double>(segments * kTileWords) / static_cast<double>(inChannels * taps());
}

double BlockedConvolution::operations() const {
    return 2 * static_cast<double>(items * groups * outBlocks() * block * out[0] * out[1] * out[2]) *
           static_cast<double>(inChannels * perWord(type) * taps());
}

BlockProduct BlockedConvolution::productOf(Packed const& packed, int64_t group, int64_t panel) const {
    auto const* const weights = static_cast<float const*>(packed.bytes.data());
    int64_t const column = columnAt(group, panel);
    return {.isSigned = type == DataType::Int8,
            .segments = {},
            .depth = xBlock * tapsOfSegment(),
            .whole = inChannels / xBlock * taps() / tapsOfSegment(),
            .tail = tail() * tapsOfSegment(),
            .w = weights + column * pieces() * xBlock,
            .wPitch = panelColumns,
            .bias = weights + weightWords() + column,
            .columns = columnsOf(panel)};
}

void expectWords(PrepareArgs const& args, int64_t words) {
    if (!args.packed) fail(ErrorCode::InvalidState, args.node, ": its weights are not in the engine");
    expectPacked(args, sizeof(float) * static_cast<size_t>(words));
}

void BlockedConvolution::clearPadding(void* y, int64_t places, int64_t bytes) const {
    int64_t const used = outChannels % block;
    auto* const first = static_cast<std::byte*>(y);
    for (int64_t i = 0; i < places && used != 0; ++i)
        std::memset(first + (i * block + used) * bytes, 0, static_cast<size_t>((block - used) * bytes));
}

void copyBox(BlockedConvolution const& p, float const* x, BoxOfX const& box, float* to) {
    ChannelSteps const steps = p.xSteps();
    RowCopy const row{steps.place, p.copySteps(box.extents).place};
    x += box.item * steps.item + box.group * steps.group;
    int64_t const blocks = p.xIsLast ? 1 : p.inBlocks(); // which are copied one after the other
    for (int64_t i = 0; i < blocks * box.extents[0]; ++i) {
        int64_t const plane = box.first[0] + i % box.extents[0] * box.planeStep;
        bool const isThere = plane >= 0 && plane < p.in[0];
        float const* const from = x + i / box.extents[0] * steps.block + plane * p.in[1] * p.in[2] * steps.place;
        for (int64_t r = 0; r < box.extents[1]; ++r, to += box.extents[2] * row.words) {
            int64_t const at = box.first[1] + r;
            bool const isRow = isThere && at >= 0 && at < p.in[1];
            copyRow(p, box, row, isRow ? from + at * p.in[2] * steps.place : nullptr, to);
        }
    }
}

std::string blockedPackKey(DataType type, int64_t xBlock) {
    auto const& loops = bestLoops<BlockProductLoops>();
    std::string const kind =
        type == DataType::Float32 ? "" : text(type == DataType::BFloat16 ? type : DataType::Int8, ", ");
    return text("blocked convolution 1, ", kind, "panels of ", loops.panel, ", blocks of ", xBlock, " to ",
                loops.block);
}

Packed packBlocked(BlockedConvolution const& p, BlockedWeights const& w) {
    StridedWeights weights(p.isOfIntegers() ? DataType::Int8 : p.type);
    ElementOrder const order = weightOrder(p, w.output, w.input);
    p.isOfIntegers() ? weights.addComputed(w.literal, order, 0) : weights.addFloats(w.literal, order, 0);
    auto const bytesOf = [](int64_t words) { return sizeof(float) * static_cast<size_t>(words); };
    weights.as(DataType::Float32);
    if (w.bias) weights.addFloats(*w.bias, columnOrder(p), bytesOf(p.weightWords()));
    if (p.isOfIntegers()) {
        Literal const scales = Literal::of({p.groups * p.outChannels}, w.scales);
        weights.addComputed(scales, columnOrder(p), bytesOf(p.weightWords() + p.allColumns()));
    }
    return std::move(weights).finish(blockedPackKey(p.type, p.xBlock), bytesOf(p.packedWords()));
}

} // namespace tenon::cpu
