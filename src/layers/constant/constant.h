// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// A tensor whose elements are fixed when the engine is built: weights, and the constants of a model.
struct Constant final : LayerOf<Constant> {
    static constexpr std::string_view kKind = "Constant";

    Literal value;

    Constant() = default;
    explicit Constant(Literal literal) : value(std::move(literal)) {}

    void fields(Fields& f) override { f("value", value); }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    Literal const* constant() const override { return &value; }
};

} // namespace tenon
