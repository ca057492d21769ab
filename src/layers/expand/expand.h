// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Repeats X along its axes of extent 1, as numpy broadcasts it against an array of the given shape; any element type.
/// X [any shape], shape [n] int32 or int64 → Y [X's shape and `shape` broadcast].
struct Expand final : LayerOf<Expand> {
    static constexpr std::string_view kKind = "Expand";

    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& /*in*/) const override { return {.count = 1, .inOrder = true}; }
    bool readsValuesOf(int input) const override { return input == 1; }
};

} // namespace tenon
