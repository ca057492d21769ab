// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/block_product_loops.h"
#include "backends/cpu/hot_steps.h"
#include "backends/kernel.h"
#include "base/ceil_div.h"

#include <array>

namespace tenon::cpu {

// Convolutions, and products of matrices, which are convolutions of an image one place wide. They read words of 4
// bytes: a float32, two bfloat16 or four integers of 8 bits.

/// The number of parts that such work of this duration is worth: 4 µs each at least, since one costs less than one to
/// begin; up to 16, of which each finds its own in the caches, and up to four for each thread where that is more. What
/// they compute does not depend on how many there are.
int64_t blockedParts(double nanoseconds);
/// Elements of a word.
inline int64_t perWord(DataType type) { return 32 / bitsOf(type); }
/// The speed of products in costs, of the peak: on the scale of the costs of oneDNN's, which are estimates too.
constexpr double kBlockedSpeed = 1.15;

/// Planes, rows and places of a row: missing axes have one.
using Extents = std::array<int64_t, 3>;

/// Where the channels of a tensor are: elements, of X words, from one item, group, block of channels of a group, and
/// place of a plane to the next. They are stored in blocks or last.
struct ChannelSteps {
    int64_t item, group, block, place;

    /// Of `groups` of `channels` each, at `places` of an item.
    ChannelSteps(bool isLast, int64_t groups, int64_t channels, int64_t places, int64_t blockSize);
};

/// A convolution as their loops see it: groups of input channels in blocks of `xBlock`, of which each window sees
/// `taps()` places. Input channels are counted in words.
struct BlockedConvolution {
    DataType type = DataType::Float32; // of X: float32, bfloat16, int8 or uint8
    float padding = 0;                 // a word that stands for zeros
    int64_t items, groups;
    int64_t inChannels, outChannels; // of a group
    int64_t block;                   // channels of a block of Y
    int64_t xBlock;                  // and words of one of X: 1 where it is linear
    bool xIsLast, yIsLast;           // the channels are stored last
    Extents in, out, window, stride, dilation, pre;
    int64_t panels, panelColumns; // of the output channels of a group: columns that are computed together

    /// Cuts the output channels into panels, when all else is known.
    void cutPanels();
    /// The product of a matrix [rows,in] with one [in,out]: of an image one place wide with windows of one.
    /// \param in a multiple of the elements of a word of this type
    static BlockedConvolution ofRows(DataType type, int64_t rows, int64_t in, int64_t out);

    bool isOfIntegers() const { return type == DataType::Int8 || type == DataType::UInt8; }
    /// Whether AMX multiplies: int8 as it is, not as uint8.
    bool usesTiles() const;

    ChannelSteps xSteps() const;
    ChannelSteps ySteps() const;
    /// Of a copy of a group's channels within `extents`, ordered like X.
    ChannelSteps copySteps(Extents const& extents) const;
    int64_t copyWords(Extents const& extents) const;

    int64_t taps() const { return window[0] * window[1] * window[2]; }
    int64_t inBlocks() const { return ceilDiv(inChannels, xBlock); }
    int64_t outBlocks() const { return ceilDiv(outChannels, block); }
    /// Blocks of input channels at the taps: what weights have a piece for.
    int64_t pieces() const { return inBlocks() * taps(); }
    /// Taps that are beside each other in X: one segment of a product.
    int64_t tapsOfSegment() const { return xBlock == 1 && dilation[2] == 1 ? window[2] : 1; }
    /// The extent that this number of windows sees along an axis.
    int64_t seen(size_t axis, int64_t windows) const {
        return (windows - 1) * stride[axis] + (window[axis] - 1) * dilation[axis] + 1;
    }
    /// Input channels that are there of those of the last block.
    int64_t tail() const { return inChannels % xBlock == 0 ? xBlock : inChannels % xBlock; }
    int64_t blocksOf(int64_t panel) const;
    /// The columns of a panel that are stored: with what fills the last block, but where channels are last.
    int64_t columnsOf(int64_t panel) const;
    /// Multiplications and additions, with those of output channels that fill a block.
    double operations() const;
    /// What is multiplied for each of them: AMX takes as long for a short row of a tile as for a full one.
    double multiplied() const;

    /// What is packed, in words of 4 bytes: weights, a bias, and where they are integers the scales of columns.
    int64_t packedWords() const { return weightWords() + (isOfIntegers() ? 2 : 1) * allColumns(); }
    int64_t weightWords() const { return allColumns() * pieces() * xBlock; }
    /// The columns of all panels: one column has a bias.
    int64_t allColumns() const { return groups * panels * panelColumns; }
    /// The first one of a panel. Its weights are piece by piece, a row for each of its words.
    int64_t columnAt(int64_t group, int64_t panel) const { return (group * panels + panel) * panelColumns; }
    /// Makes the channels zero that fill a last block of Y, `bytes` each, at some places. Products leave NaN there if X
    /// is infinite.
    void clearPadding(void* y, int64_t places, int64_t bytes = sizeof(float)) const;
    /// The weights and the bias of a panel as those of a product; X and Y are missing.
    BlockProduct productOf(Packed const& packed, int64_t group, int64_t panel) const;
};

/// A box of X: a group of channels of an item. It may reach beyond, where X counts as zero.
struct BoxOfX {
    int64_t item, group;
    Extents first;
    Extents extents;
    int64_t planeStep = 1; // from one plane of the box to the next
};

/// Copies a box to where BlockedConvolution::copySteps() says.
void copyBox(BlockedConvolution const& convolution, float const* x, BoxOfX const& box, float* to);

/// Constant weights whose elements for the next output and input channel of a group are that far apart, taps beside
/// each other; a bias if there is one; for integers, the scale of each column.
struct BlockedWeights {
    Literal const& literal;
    int64_t output, input;
    Literal const* bias = nullptr;
    std::vector<float> scales = {};
};
/// Weights and bias in the order of BlockedConvolution.
Packed packBlocked(BlockedConvolution const& convolution, BlockedWeights const& weights);
/// The key of what is packed for X of this type, in blocks of this many words.
std::string blockedPackKey(DataType type, int64_t xBlock);
/// An Error where `args.packed` does not have that many words.
void expectWords(PrepareArgs const& args, int64_t words);

/// Products of what windows of input 0 see with weights that packBlocked() has packed, as output 0.
/// \param nanoseconds that it takes by estimate, which say into how many parts it is cut
std::unique_ptr<Executable> runBlocked(PrepareArgs const& args, BlockedConvolution const& convolution, HotSteps steps,
                                       double nanoseconds);
/// What it takes of one thread that multiplies `speed` times as fast as the peak.
double blockedCost(PrepareArgs const& args, BlockedConvolution const& convolution, double speed);

} // namespace tenon::cpu
