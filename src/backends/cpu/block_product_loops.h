// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>
#include <span>

namespace tenon::cpu {

constexpr int64_t kTileWords = 16; // in a row of an AMX tile

/// Contiguous words of X: their offset in each row of X, and their first row in W. In words.
struct BlockSegment {
    int64_t x, w;
};

/// Y [rows,columns] = X W. Both consist of 4-byte words, addressed by pointers to floats: one float, two bfloat16 or
/// four 8-bit integers. A row of X consists of segments: runs of `depth` words at offsets that are the same in each
/// row. So the elements in a window of a convolution form a row without being copied.
struct BlockProduct {
    float const* x = nullptr; // the first row
    bool isSigned = false;    // integers of X: int8, which vectors read as uint8, greater by 128
    std::span<BlockSegment const> segments;
    int64_t depth = 0;        // words of a segment: those of a block of channels, or of some positions of a row
    int64_t whole = 0;        // the number of full segments; the others
    int64_t tail = 0;         // have this many words, from their start
    int64_t rowStride = 0;    // words between rows of X
    float const* w = nullptr; // a row for each word of a segment: int8 if X is of integers
    int64_t wPitch = 0;       // words between rows of W; padded to whole vectors

    float* sums = nullptr;              // [rows, wPitch]: partial sums that are accumulated
    bool isFirst = true;                // of these products: starts with
    float const* bias = nullptr;        // this, one per column; ignored in products of integers
    int32_t const* firstSums = nullptr; // with these, one per column, for whole vectors; later ones with the sums
    bool isLast = true;                 // of these products: writes Y; the others write the sums

    float const* factors = nullptr; // of sums of integers: they become sum * factor + bias; for whole vectors
    bool clamps = false;            // the sums, except NaN, to
    float least = 0, greatest = 0;  // this range

    bool adds = false;  // before clamping, elements of a tensor that is stored like Y,
    int64_t addend = 0; // at this offset from Y in bytes

    void* y = nullptr;    // the first row, in float32, or
    bool narrows = false; // in the type of X: bfloat16, or sums that are clamped to 8-bit integers
    int32_t zero = 0;     // plus this
    int64_t yBytes = 4;   // of an element of Y
    int64_t yRow = 0;     // elements between rows of Y
    int64_t yBlock = 0;   // and between blocks of its columns: kChannelBlock if rows are dense
    int64_t rows = 0;
    int64_t columns = 0;          // at most `panel`
    int64_t lines = 1;            // each of that many rows, whose sums are contiguous:
    int64_t xLine = 0, yLine = 0; // words of X and elements of Y between lines
};

/// The inner products of convolutions and matrix products.
struct BlockProductLoops {
    int64_t block; // channels of one block: channelBlock()
    int64_t panel; // maximum number of columns that are multiplied at a time
    using Multiply = void (*)(BlockProduct const& product);
    Multiply multiply; // float32
    // null if the instruction set does not support the type:
    Multiply multiplyPairs; // bfloat16
    Multiply multiplyQuads; // 8 bits
    // the same by AMX, for segments of up to kTileWords; wPitch is at most `panel`:
    Multiply tilePairs;
    Multiply tileQuads;
};

} // namespace tenon::cpu
