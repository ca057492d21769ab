// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>
#include <span>

namespace tenon::cpu {

constexpr int64_t kTileWords = 16; // of a row of a tile of AMX

/// Words of X that are beside each other: where they begin in each row of X, and their first row in W. In words.
struct BlockSegment {
    int64_t x, w;
};

/// Y [rows,columns] = X W. Both are made of words of 4 bytes, which pointers to floats stand for: a float, two bfloat16
/// or four integers of 8 bits. A row of X is segments: pieces of `depth` words that are apart, at the same distances in
/// each row. So the elements that a window of a convolution sees are a row, without a copy of them.
struct BlockProduct {
    float const* x = nullptr; // the first row
    bool isSigned = false;    // integers of X: int8, which vectors read as uint8, greater by 128
    std::span<BlockSegment const> segments;
    int64_t depth = 0;        // words of a segment: those of a block of channels, or of some places of a row
    int64_t whole = 0;        // the number of segments that have all of them; the others
    int64_t tail = 0;         // this many, from their start
    int64_t rowStride = 0;    // words from row to row of X
    float const* w = nullptr; // a row for each word of a segment: int8 where X is of integers
    int64_t wPitch = 0;       // words from row to row of W, which are there for whole vectors

    float* sums = nullptr;              // [rows, wPitch]: of products that are added up
    bool isFirst = true;                // of them: begins with
    float const* bias = nullptr;        // this, one a column, or in products of integers
    int32_t const* firstSums = nullptr; // with these, one a column, for whole vectors; the others with what sums hold
    bool isLast = true;                 // of them: writes Y; the others the sums

    float const* factors = nullptr; // of sums of integers: they become sum * factor + bias; for whole vectors
    bool clamps = false;            // the sums, NaN excepted, to
    float least = 0, greatest = 0;  // this range

    bool adds = false;  // before they are clamped, elements of a tensor that is stored like Y,
    int64_t addend = 0; // this many bytes after those of Y

    void* y = nullptr;    // the first row, in float32, or
    bool narrows = false; // in the type of X: bfloat16, or sums that are clamped to integers of 8 bits
    int32_t zero = 0;     // plus this
    int64_t yBytes = 4;   // of an element of Y
    int64_t yRow = 0;     // elements from row to row of Y
    int64_t yBlock = 0;   // and from one block of its columns to the next: kChannelBlock where rows are dense
    int64_t rows = 0;
    int64_t columns = 0;          // at most `panel`
    int64_t lines = 1;            // of as many rows, whose sums follow each other:
    int64_t xLine = 0, yLine = 0; // words of X and elements of Y from one to the next
};

/// The products of which convolutions and products of matrices are made.
struct BlockProductLoops {
    int64_t block; // channels of one block: channelBlock()
    int64_t panel; // columns that are multiplied at a time, at most
    using Multiply = void (*)(BlockProduct const& product);
    Multiply multiply; // float32
    // null where the instruction set has no such products:
    Multiply multiplyPairs; // bfloat16
    Multiply multiplyQuads; // 8 bits
    // the same by AMX, of segments of up to kTileWords; wPitch is at most `panel`:
    Multiply tilePairs;
    Multiply tileQuads;
};

} // namespace tenon::cpu
