// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Y[i] = X[0] ∘ … ∘ X[i] along one axis, where ∘ is + or ·; numbers of any type. Floating point is computed in double,
/// so that kernels may join parts; integers wrap around. X [any shape, not a scalar], axis (one int32 or int64;
/// negative: counted from the end) → Y [as X].
struct Cumulative final : LayerOf<Cumulative> {
    static constexpr std::string_view kKind = "Cumulative";

    enum class Operation { Sum, Prod };
    enum Input { kX, kAxis };

    Operation operation = Operation::Sum;
    bool exclusive = false; // Y[i] leaves X[i] out: it begins with the neutral element
    bool reverse = false;   // from the end on

    void fields(Fields& f) override {
        f("operation", operation);
        f("exclusive", exclusive);
        f("reverse", reverse);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
    bool readsValuesOf(int input) const override { return input == kAxis; }
};

std::span<std::string_view const> names(Cumulative::Operation);

/// X as [outer, length, inner], accumulated along `length`.
struct CumulativeSpace {
    int64_t outer = 1;
    int64_t length = 1;
    int64_t inner = 1;

    /// `axis` is input 1, in host memory.
    CumulativeSpace(Dims const& x, HostTensor const& axis);
};

} // namespace tenon
