// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// The part of each matrix on and above a diagonal, or on and below it, and 0 elsewhere; any element type.
/// X [any,N,M], k (one int32 or int64; absent: 0) → Y [as X]: X where column - row >= k, for the lower part <= k.
struct Trilu final : LayerOf<Trilu> {
    static constexpr std::string_view kKind = "Trilu";

    bool upper = true;

    void fields(Fields& f) override { f("upper", upper); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override { return input == 1 ? "k" : Layer::inputName(input); }
};

} // namespace tenon
