// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Y = condition ? A : B, element by element; A and B are of one type, any. Condition [any] bool, A [any], B [any] → Y
/// [broadcast of all as in numpy].
struct Select final : LayerOf<Select> {
    static constexpr std::string_view kKind = "Select";

    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
