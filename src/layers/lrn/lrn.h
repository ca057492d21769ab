// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Local response normalization: Y = X / (k + alpha / window · S)^beta, with S the sum of X² over the existing ones of
/// `window` channels around each one: (window - 1) / 2 before it, window / 2 after it. X [N,C,…] floating point → Y
/// [the same].
struct Lrn final : LayerOf<Lrn> {
    static constexpr std::string_view kKind = "LRN";

    int64_t window = 1;
    double alpha = 0.0001;
    double beta = 0.75;
    double k = 1;

    void fields(Fields& f) override {
        f("window", window);
        f("alpha", alpha);
        f("beta", beta);
        f("k", k);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;

    /// The channels [first, last) that are summed for channel c of `channels`.
    constexpr int64_t first(int64_t c) const {
        int64_t const before = (window - 1) / 2;
        return c > before ? c - before : 0;
    }
    constexpr int64_t last(int64_t c, int64_t channels) const {
        int64_t const behind = window / 2;
        return behind < channels - c ? c + behind + 1 : channels;
    }
};

} // namespace tenon
