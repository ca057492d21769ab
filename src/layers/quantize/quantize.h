// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/small_float.h"
#include "graph/layer.h"

namespace tenon {

std::span<std::string_view const> names(NumberForm);
std::span<std::string_view const> names(PowerRounding);

/// Y = round(X / scale), ties to even, plus the zero point, clamped to the range (NaN: the zero point of an integer
/// type). X [any] floating point, scale floating point: one element, [X's axis], or [blocks of X]; zero point of Y's
/// type, of the shape of the scale or one element (optional) → Y [as X]: int8, uint8, int4, float8, float4, E8M0; or
/// values of a narrower type in int8, uint8, int32 and float16.
struct Quantize final : LayerOf<Quantize> {
    static constexpr std::string_view kKind = "Quantize";

    DataType to = DataType::Int8;
    int64_t axis = -1;                 // of a scale of rank 1; negative: counted from the end
    std::vector<int64_t> blocks;       // elements along each axis that share a scale; empty: derived from the extents
    int64_t least = 0;                 // and most: of integers; both 0: the range of the type
    int64_t most = 0;                  //
    NumberForm form = NumberForm::Own; // of floating point types
    bool saturate = true;              // floating point out of range becomes the maximum, else as the form defines
    PowerRounding rounding = PowerRounding::Up; // to E8M0
    DataType precision = DataType::Float32;     // to which X, the scale and the quotient are rounded

    void fields(Fields& f) override {
        f("to", to);
        f("axis", axis);
        f("blocks", blocks);
        f("least", least);
        f("most", most);
        f("form", form);
        f("saturate", saturate);
        f("rounding", rounding);
        f("precision", precision);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
