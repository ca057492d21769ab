// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Drops axes of extent 1: X [2,1,3], axes? [n] int32 or int64, of known length → Y [2,3]. Negative axes are counted
/// from the end. Without axes it drops every axis of extent 1; then the extents must be known when the engine is built.
struct Squeeze final : LayerOf<Squeeze> {
    static constexpr std::string_view kKind = "Squeeze";

    enum Input { kX, kAxes };

    void fields(Fields&) override {}
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& /*in*/) const override { return {.count = 1, .inOrder = true}; }
    std::string inputName(int input) const override { return input == kAxes ? "axes" : Layer::inputName(input); }
    bool readsValuesOf(int input) const override { return input == kAxes; }
};

} // namespace tenon
