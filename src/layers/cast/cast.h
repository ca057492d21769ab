// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Converts elements to another type, as the network requests (a Reformat is required by the plan). Floating point is
/// rounded to the nearest, and truncated towards zero to integers (out of range: clamped; NaN: 0). Integers wrap around
/// in narrower types. A boolean is whether the number is not 0. Numbers beyond a float8 or float4 become its maximum;
/// to E8M0 the absolute value is rounded up. An int4 has the lowest 4 bits of the int32 result. X [any] → Y [the same].
struct Cast final : LayerOf<Cast> {
    static constexpr std::string_view kKind = "Cast";

    DataType to = DataType::Float32;

    void fields(Fields& f) override { f("to", to); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// Elements begin to end (an even number, if elements share a byte, or 0) of X in the type of Y, dense.
void castElements(DataType from, void const* x, DataType to, void* y, int64_t begin, int64_t end);

} // namespace tenon
