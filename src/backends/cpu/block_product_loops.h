// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cpu/isa.h"

#include <cstdint>

namespace tenon::cpu {

/// Y [rows,columns] = X W, where a row of X is made of segments: pieces of `depth` floats that lie apart, at the same
/// distances in each row. So the elements that a window of a convolution sees are a row, without a copy of them.
struct BlockProduct {
    float const* x = nullptr;         // the first row
    int64_t const* offsets = nullptr; // of the segments, from the start of their row
    int64_t segments = 0;
    int64_t depth = 0;             // floats of a segment: the channels of a block, or 1
    int64_t whole = 0;             // the number of segments that have all of them; the others
    int64_t tail = 0;              // this many, from their start
    int64_t rowStride = 0;         // floats from row to row of X
    float const* w = nullptr;      // a row for each float of a segment, segment by segment
    int64_t wPitch = 0;            // floats from row to row of W, which are there for whole vectors
    float const* bias = nullptr;   // one a column
    bool adds = false;             // to what Y holds, without the bias
    float* y = nullptr;            // the first row
    int64_t yRow = 0;              // floats from row to row of Y
    int64_t yBlock = 0;            // and from one block of its columns to the next: kChannelBlock where rows are dense
    bool clamps = false;           // the sums, NaN excepted, to
    float least = 0, greatest = 0; // this range
    int64_t rows = 0;
    int64_t columns = 0; // at most `panel`
};

/// The product of which convolutions and products of matrices in float32 are made.
struct BlockProductLoops {
    int64_t block; // channels of one block: channelBlock()
    int64_t panel; // columns that are multiplied at a time, at most
    void (*multiply)(BlockProduct const& product);
};

} // namespace tenon::cpu
