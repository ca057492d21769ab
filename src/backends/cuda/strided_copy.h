// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// to[i·toStrides] = from[i·fromStrides] for every index i of `dims`: transposing, slicing, broadcasting and
/// concatenating. Elements of any type are moved unchanged. Offsets and strides are in elements; those of `to` are
/// positive.
struct StridedCopy {
    DataType type = DataType::Float32;
    Dims dims;
    Dims fromStrides;
    Dims toStrides;
    int64_t fromOffset = 0;
    int64_t toOffset = 0;
};

/// Prepared for many launches; chosen once by the strides: rows of wide words, tiles transposed in shared memory, or
/// element by element.
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
/// The number of elements between neighbors in memory along each axis, in a format without blocks.
Dims stridesIn(Format const& format, Dims const& dims);

} // namespace tenon::cuda
