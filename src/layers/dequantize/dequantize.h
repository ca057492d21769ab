// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Y = (X - zero point) * scale, computed in float32. X [any] of any type that is no bool; scale floating point or
/// E8M0: one element, [X's axis], or [blocks of X]; zero point of X's type, of the shape of the scale or one element
/// (may be left out) → Y [as X], floating point.
struct Dequantize final : LayerOf<Dequantize> {
    static constexpr std::string_view kKind = "Dequantize";

    DataType to = DataType::Float32;
    int64_t axis = -1;           // of a scale of rank 1; negative: counted from the end
    std::vector<int64_t> blocks; // elements along each axis that share a scale; empty: the extents tell

    void fields(Fields& f) override {
        f("to", to);
        f("axis", axis);
        f("blocks", blocks);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::unique_ptr<Layer> folded(Operands const& in, Literal const& value) const override;
};

} // namespace tenon
