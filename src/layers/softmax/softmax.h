// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Y[i] = exp(X[i] - max X) / sum of exp(X[j] - max X), along one axis. X [any shape] → Y [the same], floating point.
struct Softmax final : LayerOf<Softmax> {
    static constexpr std::string_view kKind = "Softmax";

    int64_t axis = -1; // negative: counted from the end
    bool log = false;  // the natural logarithm of it

    void fields(Fields& f) override {
        f("axis", axis);
        f("log", log);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

} // namespace tenon
