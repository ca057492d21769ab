// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Rotary position embedding: rotates pairs (a, b) of the elements of each head by an angle that depends on the token's
/// position: a' = a · cos - b · sin, b' = a · sin + b · cos. X [N,H,S,D], cosines and sines [N,S,r/2] or, for all
/// positions, [P,r/2] with positions [N,S] int32 or int64 → Y [N,H,S,D]. Floating point. A negative position counts
/// from the end; one outside of P is an Error at run time.
struct RotaryEmbedding final : LayerOf<RotaryEmbedding> {
    static constexpr std::string_view kKind = "RotaryEmbedding";
    enum Input { kX, kCosines, kSines, kPositions, kInputs };

    bool interleaved = false;   // a pair has adjacent elements; else one of each half
    int64_t turned = 0;         // r: leading elements of a head that are rotated, the others are copied; 0: all D
    bool sequenceFirst = false; // X and Y are [N,S,H,D]

    void fields(Fields& f) override {
        f("interleaved", interleaved);
        f("turned", turned);
        f("sequenceFirst", sequenceFirst);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    std::string inputName(int input) const override;
};

/// The layer at known shapes. A row is the D elements of one head of one token.
struct Rotation {
    int64_t rows;
    int64_t size;      // D
    int64_t pairs;     // r / 2
    int64_t apart;     // offset from the first element of a pair to the second
    int64_t next;      // stride of pairs
    int64_t tokens;    // S
    int64_t heads;     // H
    bool tokensOuter;  // rows are in the order [N,S,H], else [N,H,S]
    int64_t positions; // P, with an input of positions

    Rotation(RotaryEmbedding const& layer, std::span<Dims const> inputs);

    /// The index, over N and S, of the token of a row.
    int64_t tokenOf(int64_t row) const {
        return tokensOuter ? row / heads : row / (heads * tokens) * tokens + row % tokens;
    }
};

[[noreturn]] void failOnPosition(int64_t position, int64_t positions);

} // namespace tenon
