// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// The same elements in another type, a change that the network asks for (Reformat is one that the plan needs).
/// Floating point numbers are rounded to the nearest, and cut off towards zero to become integers (out of range: the
/// nearest there is; NaN: 0). Integers wrap around in narrower ones. A boolean is whether the number is not 0. What is
/// beyond a float8 or float4 becomes its greatest number; to E8M0 the absolute value is rounded up. An int4 has the
/// lowest 4 bits of what an int32 would be.
/// X [any] → Y [the same].
struct Cast final : LayerOf<Cast> {
    static constexpr std::string_view kKind = "Cast";

    DataType to = DataType::Float32;

    void fields(Fields& f) override { f("to", to); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// Elements begin to end (an even number, where elements share a byte, or 0) of X in the type of Y, dense.
void castElements(DataType from, void const* x, DataType to, void* y, int64_t begin, int64_t end);

} // namespace tenon
