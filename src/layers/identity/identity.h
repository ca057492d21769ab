// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// X as it is, of any type. X [any] → Y [the same].
struct Identity final : LayerOf<Identity> {
    static constexpr std::string_view kKind = "Identity";

    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& /*in*/) const override { return {.count = 1, .inOrder = true}; }
};

} // namespace tenon
