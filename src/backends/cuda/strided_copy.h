// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"

namespace tenon::cuda {

/// to[i·toStrides] = from[i·fromStrides] for every index i of `dims`: transposing, slicing, broadcasting and joining.
/// Elements of any type are moved as they are. Offsets and strides are in elements.
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

} // namespace tenon::cuda
