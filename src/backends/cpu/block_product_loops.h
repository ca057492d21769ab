// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// Y [rows,columns] = X W, where a row of X is made of segments: pieces of `depth` floats that lie apart, at the same
/// distances in each row. So the elements that a window of a convolution sees are a row, without a copy of them.
struct BlockProduct {
    float const* x;         // the first row
    int64_t const* offsets; // of the segments, from the start of their row
    int64_t segments;
    int64_t depth;         // floats of a segment: the channels of a block, or 1
    int64_t whole;         // so many segments have all of them; the others
    int64_t tail;          // this many, from their start
    int64_t rowStride;     // floats from row to row of X
    float const* w;        // a row for each float of a segment, segment by segment
    int64_t wPitch;        // floats from row to row of W, a multiple of the width of a vector
    float const* bias;     // one a column
    bool adds;             // to what Y holds, without the bias
    float* y;              // the first row
    int64_t yRow;          // floats from row to row of Y
    int64_t yBlock;        // and from one block of its columns to the next
    bool clamps;           // the sums, NaN excepted, to
    float least, greatest; // this range
    int64_t rows;
    int64_t columns; // whole blocks, at most `panel`
};

/// The product behind convolutions of tensors whose channels lie in blocks.
struct BlockProductLoops {
    int64_t block; // channels of one block: channelBlock()
    int64_t panel; // columns that are multiplied at a time, at most
    void (*multiply)(BlockProduct const& product);
};

} // namespace tenon::cpu
