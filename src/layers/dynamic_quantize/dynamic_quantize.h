// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/small_float.h"
#include "graph/layer.h"

#include <array>

namespace tenon {

/// Quantizes with scales that it computes block by block. X [any] floating point, scale of the scales (one element,
/// floating point, optional: 1) → Y [as X] float8 or float4, scales [blocks of X]. With m the largest |x| of a block
/// and M the largest number of Y's type: the scale is m / M / (scale of the scales), rounded to its type (E8M0: up to a
/// power of two); Y = x / (scale * scale of the scales), rounded like in Quantize; 0 if that is 0.
struct DynamicQuantize final : LayerOf<DynamicQuantize> {
    static constexpr std::string_view kKind = "DynamicQuantize";

    DataType to = DataType::Float4;
    DataType scaleType = DataType::Float8; // or E8M0, or floating point
    int64_t axis = -1;                     // axis of blocks of blockSize elements, unless there are `blocks`
    int64_t blockSize = 16;
    std::vector<int64_t> blocks; // elements of a block along each axis; blocks at the ends may have fewer

    void fields(Fields& f) override {
        f("to", to);
        f("scaleType", scaleType);
        f("axis", axis);
        f("blockSize", blockSize);
        f("blocks", blocks);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// Blocks of a dense row-major tensor. Also compiled for GPUs.
struct BlockGrid {
    int rank = 0;
    std::array<int64_t, Dims::kMaxRank> extents{};
    std::array<int64_t, Dims::kMaxRank> sizes{};  // of a block
    std::array<int64_t, Dims::kMaxRank> counts{}; // of blocks
    int64_t blocks = 1;
    int64_t perBlock = 1;
    int64_t elements = 1;

    /// The index of element `i` of a block, -1 beyond the end of the tensor.
    constexpr int64_t element(int64_t block, int64_t i) const {
        int64_t offset = 0;
        int64_t stride = 1;
        for (int axis = rank - 1; axis >= 0; --axis) {
            auto const a = static_cast<size_t>(axis);
            int64_t const index = block % counts[a] * sizes[a] + i % sizes[a];
            if (index >= extents[a]) return -1;
            offset += index * stride;
            stride *= extents[a];
            block /= counts[a];
            i /= sizes[a];
        }
        return offset;
    }
};
BlockGrid gridOf(DynamicQuantize const& layer, Dims const& x);
/// Elements of a block along each axis of an X of this rank.
std::vector<int64_t> blocksOf(DynamicQuantize const& layer, int rank);
/// The numbers of Y's type.
constexpr SmallFloat numbersOf(DataType to) { return to == DataType::Float8 ? e4m3fn() : e2m1(); }
/// The scale of a block whose largest |x| is `most`, before rounding to its type; `outer` is the scale of the scales.
constexpr float scaleFor(DataType to, float most, float outer) { return most / numbersOf(to).most / outer; }
/// x divided by the rounded scale of its block times the scale of the scales.
constexpr float byScale(float x, float scale) { return scale == 0 ? 0 : x / scale; }

} // namespace tenon
