// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// The extents of X as a tensor: X [d0,…,dn] → Y [n+1], Y[i] = d_i. The elements of X are never read.
struct ShapeOf final : LayerOf<ShapeOf> {
    static constexpr std::string_view kKind = "Shape";

    int64_t start = 0;               // the first axis; negative: counted from the end; beyond the axes: clamped
    int64_t end = INT64_MAX;         // the axis after the last one, likewise
    bool volume = false;             // the product of these extents, a scalar, instead of the list
    DataType type = DataType::Int64; // of Y: int32, in which the extents must fit, or int64

    /// Of the axes [from, to).
    static ShapeOf extents(int64_t from, int64_t to);
    static ShapeOf product(int64_t from, int64_t to);

    void fields(Fields& f) override {
        f("start", start);
        f("end", end);
        f("volume", volume);
        f("type", type);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    bool readsShapeOnly(int) const override { return true; }
};

} // namespace tenon
