// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/block_product_loops.h"
#include "backends/cpu/hot_steps.h"
#include "backends/kernel.h"
#include "base/ceil_div.h"

#include <array>

namespace tenon::cpu {

// Convolutions, and matrix products, which are convolutions of an image of width 1. They read 4-byte words: a float32,
// two bfloat16 or four 8-bit integers.

/// The number of parts for work of this duration: each takes 4 µs at least, since starting one costs less than 1 µs; up
/// to 16 parts, each of which finds its data in the caches, or up to four per thread if that is more. The results do
/// not depend on the number of parts.
int64_t blockedParts(double nanoseconds);
/// Elements in a word.
inline int64_t perWord(DataType type) { return 32 / bitsOf(type); }
/// The speed of these products in costs, relative to the peak: on the scale of oneDNN's costs, which are estimates too.
constexpr double kBlockedSpeed = 1.15;

/// Depth, height and width; missing axes have extent 1.
using Extents = std::array<int64_t, 3>;

/// The strides of a tensor's channels in elements (words of X): between items, groups, blocks of channels of a group,
/// and positions of a plane. Channels are blocked or last.
struct ChannelSteps {
    int64_t item, group, block, place;

    /// Of `groups` groups of `channels` each, with `places` positions in an item.
    ChannelSteps(bool isLast, int64_t groups, int64_t channels, int64_t places, int64_t blockSize);
};

/// A convolution as the loops see it: groups of input channels in blocks of `xBlock`; each window reads `taps()`
/// positions of them. Input channels are counted in words.
struct BlockedConvolution {
    DataType type = DataType::Float32; // of X: float32, bfloat16, int8 or uint8
    float padding = 0;                 // a word of zeros in the type of X
    int64_t items, groups;
    int64_t inChannels, outChannels; // of a group
    int64_t block;                   // channels of a block of Y
    int64_t xBlock;                  // and words of a block of X: 1 if it is linear
    bool xIsLast, yIsLast;           // the channels are stored last
    Extents in, out, window, stride, dilation, pre;
    int64_t panels, panelColumns; // of the output channels of a group: columns that are computed together

    /// Cuts the output channels into panels; all other fields must be set.
    void cutPanels();
    /// The product of a matrix [rows,in] with one [in,out]: of an image of width 1 with 1×1 windows.
    /// \param in a multiple of the elements of a word of this type
    static BlockedConvolution ofRows(DataType type, int64_t rows, int64_t in, int64_t out);

    bool isOfIntegers() const { return type == DataType::Int8 || type == DataType::UInt8; }
    /// Whether AMX multiplies: int8 directly, not as uint8.
    bool usesTiles() const;

    ChannelSteps xSteps() const;
    ChannelSteps ySteps() const;
    /// Of a copy of a group's channels within `extents`, ordered like X.
    ChannelSteps copySteps(Extents const& extents) const;
    int64_t copyWords(Extents const& extents) const;

    int64_t taps() const { return window[0] * window[1] * window[2]; }
    int64_t inBlocks() const { return ceilDiv(inChannels, xBlock); }
    int64_t outBlocks() const { return ceilDiv(outChannels, block); }
    /// Blocks of input channels times taps: the number of pieces of the weights.
    int64_t pieces() const { return inBlocks() * taps(); }
    /// Taps that are contiguous in X: one segment of a product.
    int64_t tapsOfSegment() const { return xBlock == 1 && dilation[2] == 1 ? window[2] : 1; }
    /// The extent that this number of windows reads along an axis.
    int64_t seen(size_t axis, int64_t windows) const {
        return (windows - 1) * stride[axis] + (window[axis] - 1) * dilation[axis] + 1;
    }
    /// The number of valid input channels in the last block.
    int64_t tail() const { return inChannels % xBlock == 0 ? xBlock : inChannels % xBlock; }
    int64_t blocksOf(int64_t panel) const;
    /// The stored columns of a panel: including the padding of the last block, unless channels are last.
    int64_t columnsOf(int64_t panel) const;
    /// Multiplications and additions, including those for padding of output channels.
    double operations() const;
    /// The operations that are executed: AMX takes as long for a partly filled row of a tile as for a full one.
    double multiplied() const;

    /// The size of the packed data in 4-byte words: weights, bias, and for integers the scales of columns.
    int64_t packedWords() const { return weightWords() + (isOfIntegers() ? 2 : 1) * allColumns(); }
    int64_t weightWords() const { return allColumns() * pieces() * xBlock; }
    /// The columns of all panels; each has one bias.
    int64_t allColumns() const { return groups * panels * panelColumns; }
    /// The first column of a panel. Its weights are stored piece by piece, a row for each word.
    int64_t columnAt(int64_t group, int64_t panel) const { return (group * panels + panel) * panelColumns; }
    /// Zeroes the channels that pad the last block of Y, `bytes` each, at some positions. Products leave NaN there if X
    /// is infinite.
    void clearPadding(void* y, int64_t places, int64_t bytes = sizeof(float)) const;
    /// The weights and the bias of a panel as a product; X and Y are not set.
    BlockProduct productOf(Packed const& packed, int64_t group, int64_t panel) const;
};

/// A box of X: a group of channels of an item. It may extend beyond X, where elements are zero.
struct BoxOfX {
    int64_t item, group;
    Extents first;
    Extents extents;
    int64_t planeStep = 1; // between planes of the box
};

/// Copies a box in the order of BlockedConvolution::copySteps().
void copyBox(BlockedConvolution const& convolution, float const* x, BoxOfX const& box, float* to);

/// Constant weights with these strides of the output and input channels of a group, taps being adjacent; an optional
/// bias; for integers, the scale of each column.
struct BlockedWeights {
    Literal const& literal;
    int64_t output, input;
    Literal const* bias = nullptr;
    std::vector<float> scales = {};
};
/// Weights and bias in the order of BlockedConvolution.
Packed packBlocked(BlockedConvolution const& convolution, BlockedWeights const& weights);
/// The pack key for X of this type, in blocks of this many words.
std::string blockedPackKey(DataType type, int64_t xBlock);
/// Throws an Error if `args.packed` does not have that many words.
void expectWords(PrepareArgs const& args, int64_t words);

/// Computes input 0 convolved with weights from packBlocked(), as output 0.
/// \param nanoseconds estimated duration, which determines the number of parts
std::unique_ptr<Executable> runBlocked(PrepareArgs const& args, BlockedConvolution const& convolution, HotSteps steps,
                                       double nanoseconds);
/// The estimated cost on one thread that multiplies at `speed` times the peak.
double blockedCost(PrepareArgs const& args, BlockedConvolution const& convolution, double speed);

} // namespace tenon::cpu
