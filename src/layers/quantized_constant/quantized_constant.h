// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Weights that the network gives as integers and scales, Y = integer · scale: a Constant of the real values, which any
/// kernel supports, with the scales by which int8 kernels restore the integers. → Y [the shape of the value]
struct QuantizedConstant final : LayerOf<QuantizedConstant> {
    static constexpr std::string_view kKind = "QuantizedConstant";

    Literal value;    // float32: each element divided by its scale is, except for rounding, an integer from -128 to 127
    Literal scales;   // float32: one, or one for each index of `axis`; none is 0
    int64_t axis = 0; // of the value

    void fields(Fields& f) override {
        f("value", value);
        f("scales", scales);
        f("axis", axis);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    Literal const* constant() const override { return &value; }
};

} // namespace tenon
