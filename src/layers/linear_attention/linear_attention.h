// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Attention without softmax, with a state S [D,E] of each batch and head that is updated along the sequence. At each
/// step: S ← exp(decay) S, with one decay for each of its rows or one for all; v ← beta (v - Sᵀ k), if there is a beta;
/// S ← S + k vᵀ; then y = scale · Sᵀ q.
///
/// Q [N,T,H·D], K [N,T,H'·D], V [N,T,H'·E], state? [N,H',D,E] (0 if absent), decay? [N,T,H'] or [N,T,H'·D], beta?
/// [N,T,H'] or [N,T,1] → Y [N,T,H·E], state after the last step [N,H',D,E]; floating point, all of Q's type except the
/// states, which have one type. H is a multiple of H': adjacent heads of Q read the same state.
struct LinearAttention final : LayerOf<LinearAttention> {
    static constexpr std::string_view kKind = "LinearAttention";
    enum Input { kQuery, kKey, kValue, kState, kDecay, kBeta, kInputs };
    enum Output { kResult, kLastState };

    int64_t heads = 1;
    int64_t keyHeads = 1;
    double scale = 0; // 0: 1 / sqrt(D)

    void fields(Fields& f) override {
        f("heads", heads);
        f("keyHeads", keyHeads);
        f("scale", scale);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

/// The layer with known extents. Row (n,t) of X [N,T,C] starts at (n · steps + t) · C.
struct LinearAttentionProblem {
    int64_t batch, steps, heads, keyHeads, size, valueSize; // N, T, H, H', D, E
    int64_t decaySize;                                      // values of a head at a step: 1 or D; 0: there is no decay
    int64_t betaHeads;                                      // H' or 1; 0: there is no beta
    double scale;

    int64_t sharing() const { return keyHeads == 0 ? 1 : heads / keyHeads; }
    int64_t states() const { return batch * keyHeads; }
    /// Multiplications and additions.
    double operations() const {
        return static_cast<double>(states() * steps) * static_cast<double>(size * valueSize) *
               static_cast<double>(5 + 2 * sharing());
    }
};
/// `inputs`: of rank 0 for absent ones.
LinearAttentionProblem problemOf(LinearAttention const& layer, std::span<Dims const> inputs);

} // namespace tenon
