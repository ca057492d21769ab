// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Joins tensors of one type along an axis: X_i […,d_i,…] → Y […,sum of d_i,…]; all other extents are equal.
struct Concatenation final : LayerOf<Concatenation> {
    static constexpr std::string_view kKind = "Concatenation";

    int64_t axis = 0; // negative: counted from the end

    static Concatenation along(int64_t axis);

    void fields(Fields& f) override { f("axis", axis); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& in) const override { return {.count = in.count(), .inOrder = in.count() == 1}; }
};

} // namespace tenon
