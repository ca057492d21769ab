// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Mixture of experts: each token x goes through the k experts that are chosen for it; Y is the sum of what they make,
/// each times its score. Expert e makes h Down[e] + downBias[e] of
/// h = act(gate) · (up + beta), gate = min(x Gate[e] + gateBias[e], limit), up = x Up[e] + upBias[e] cut to ±limit.
///
/// X […,C], experts […,k] int32, 0 to E - 1 each, scores […,k], Gate and Up [E,C,H], Down [E,H,C], biases? [E,H], [E,H]
/// and [E,C] → Y […,C]; floating point, all of X's type.
struct Moe final : LayerOf<Moe> {
    static constexpr std::string_view kKind = "Moe";
    enum Input { kX, kExperts, kScores, kGate, kUp, kDown, kGateBias, kUpBias, kDownBias, kInputs };
    enum class Activation { None, Silu }; // x, x / (1 + exp(-alpha · x))

    Activation activation = Activation::None;
    double limit = 0; // 0: there is none
    double alpha = 1;
    double beta = 0;

    void fields(Fields& f) override {
        f("activation", activation);
        f("limit", limit);
        f("alpha", alpha);
        f("beta", beta);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

std::span<std::string_view const> names(Moe::Activation);

/// The extents of a layer.
struct MoeProblem {
    int64_t tokens, chosen, experts, size, inner; // …, k, E, C, H

    explicit MoeProblem(std::span<Dims const> inputs);

    /// Tokens as often as experts are chosen for them.
    int64_t rows() const { return tokens * chosen; }
    /// Multiplications and additions.
    double operations() const { return 6 * static_cast<double>(rows()) * static_cast<double>(size * inner); }
};

/// An Error for an expert that there is not.
void checkExperts(std::span<int32_t const> chosen, int64_t experts);

} // namespace tenon
