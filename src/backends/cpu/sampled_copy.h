// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/dims.h"
#include "graph/format.h"

#include <array>
#include <vector>

namespace tenon::cpu {

/// One axis of a tensor in memory order, in elements.
struct MemoryAxis {
    int axis;       // of the tensor; kLanes for the channels within a block
    int64_t extent; // in memory: the number of blocks for blocked channels, padding included
    int64_t stride;

    static constexpr int kLanes = -1;
};
/// From the outermost to the innermost.
std::vector<MemoryAxis> memoryAxes(Dims const& dims, Format const& format);

/// Fills a dense target: its element at [i, j, …] is the source's at offset tables[0][i] + tables[1][j] + …, or the
/// fill value if one of them is kNowhere. Elements of any size.
class SampledCopy {
public:
    static constexpr int64_t kNowhere = -1;

    SampledCopy() = default;
    /// Tables in elements, from the outermost axis of the target to the innermost.
    SampledCopy(std::vector<std::vector<int64_t>> tables, size_t elementBytes);

    /// Uses the threads of parallelFor; allocates nothing. `fill` is one element.
    void run(void const* from, void* to, void const* fill) const;

private:
    struct Run {
        int64_t to, from, bytes; // from: kNowhere for the fill value
    };

    void foldInnermost();
    void findRuns();
    void copyRows(std::byte const* from, std::byte* to, std::byte const* fill, int64_t begin, int64_t end) const;
    void copyRow(std::byte const* from, std::byte* to, std::byte const* fill) const;
    void fillRun(std::byte* to, std::byte const* fill, int64_t bytes) const;

    std::vector<std::vector<int64_t>> tables_; // in bytes
    int64_t elementBytes_ = 1;
    int64_t pixelBytes_ = 1; // contiguous bytes for each entry of the last table
    int64_t base_ = 0;
    int64_t rows_ = 0;
    int64_t rowBytes_ = 0;
    std::vector<Run> runs_; // of one row; empty if entries are copied one by one
};

} // namespace tenon::cpu
