// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// The determinants of square matrices: X [d…,M,M] → Y [d…], floating point. 1 for M = 0.
struct Determinant final : LayerOf<Determinant> {
    static constexpr std::string_view kKind = "Determinant";

    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
