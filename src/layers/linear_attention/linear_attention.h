// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Attention whose memory is one matrix a head, S [K,V], which each token updates before its query reads it:
///   S ← exp(decay) · S              where there is a decay, one number a head or one for each of K
///   v ← beta · (v - Sᵀ k)           where it corrects: the delta rule, beta is one number a head or a token
///   S ← S + k vᵀ,  y = scale · Sᵀ q
/// Query [N,T,Hq·K], key [N,T,H·K], value [N,T,H·V], past? [N,H,K,V], decay? [N,T,H] or [N,T,H·K], beta? [N,T,H] or
/// [N,T,1] → Y [N,T,Hq·V], present [N,H,K,V] in the type of the past, or of the query. Floating point. Hq / H
/// neighbouring heads of the query share a head of the key.
struct LinearAttention final : LayerOf<LinearAttention> {
    static constexpr std::string_view kKind = "LinearAttention";
    enum Input { kQuery, kKey, kValue, kPast, kDecay, kBeta, kInputs };

    int64_t queryHeads = 1;
    int64_t keyHeads = 1;
    bool corrects = false;
    double scale = 0; // 0: 1 / √K

    void fields(Fields& f) override {
        f("queryHeads", queryHeads);
        f("keyHeads", keyHeads);
        f("corrects", corrects);
        f("scale", scale);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

/// The layer at known shapes.
struct Recurrence {
    int64_t batch, tokens, heads; // of the key
    int64_t group;                // heads of the query that share one of the key
    int64_t keySize, valueSize;
    int64_t decayWidth; // numbers of a token: 0 (no decay), heads or heads · keySize
    int64_t betaWidth;  // 0, 1 or heads
    bool corrects;
    float scale;

    /// Inputs that are not there have rank 0.
    Recurrence(LinearAttention const& layer, std::span<Dims const> inputs);

    int64_t stateSize() const { return keySize * valueSize; }
};

} // namespace tenon
