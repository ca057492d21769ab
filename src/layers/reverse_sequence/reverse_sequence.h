// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Reverses the first lengths[n] steps of each sequence n and copies the rest; any element type. X [any], lengths [N]
/// int32 or int64 → Y [as X]: with t along `sequenceAxis` and n along `batchAxis`, which has extent N, Y[t,n] =
/// X[lengths[n] - 1 - t, n] where t < lengths[n], else X[t,n]. A length that is negative or beyond the axis is an Error
/// at run time.
struct ReverseSequence final : LayerOf<ReverseSequence> {
    static constexpr std::string_view kKind = "ReverseSequence";

    int64_t batchAxis = 1; // negative: counted from the end, like the other one
    int64_t sequenceAxis = 0;

    void fields(Fields& f) override {
        f("batchAxis", batchAxis);
        f("sequenceAxis", sequenceAxis);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override { return input == 1 ? "lengths" : Layer::inputName(input); }
};

/// X as [outer, first, between, second, inner], where the first and the second are the two axes.
struct SequenceSpace {
    int64_t first = 1;
    int64_t between = 1;
    int64_t second = 1;
    int64_t inner = 1;
    int64_t blocks = 0; // of `inner` elements
    bool batchFirst = false;

    SequenceSpace(ReverseSequence const& layer, Dims const& x);
    int64_t steps() const { return batchFirst ? second : first; }
};

[[noreturn]] void failOnLength(int64_t length, int64_t sequence, int64_t steps);

} // namespace tenon
