// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// to[i·toStrides] = from[i·fromStrides] for every index i of `dims`: transposing, slicing, broadcasting and joining.
/// Elements of any type are moved as they are. Offsets and strides are in elements; those of `to` are positive.
struct StridedCopy {
    DataType type = DataType::Float32;
    Dims dims;
    Dims fromStrides;
    Dims toStrides;
    int64_t fromOffset = 0;
    int64_t toOffset = 0;
};

/// Ready to be launched many times; chosen once by what the strides allow: rows of wide words, tiles turned in shared
/// memory, or element by element.
class StridedCopier {
public:
    explicit StridedCopier(StridedCopy const& copy);
    ~StridedCopier();
    StridedCopier(StridedCopier&&) noexcept;
    void launch(void const* from, void* to, void* stream) const;

private:
    struct Plan;
    std::unique_ptr<Plan const> plan_;
};

/// The axes of a tensor in a format without blocks, from the outermost to the innermost in memory.
std::vector<int> axesInMemory(Format const& format, int rank);
/// Elements to step over in memory for one step along each axis, in a format without blocks.
Dims stridesIn(Format const& format, Dims const& dims);

} // namespace tenon::cuda
