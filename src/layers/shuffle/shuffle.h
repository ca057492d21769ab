// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/layer.h"

namespace tenon {

/// Transposes, reads the elements in order as another shape, and transposes again; any element type.
/// X [any shape], shape? [n] int32 or int64 → Y [n axes]. Without a shape, from a field or an input, it only
/// transposes.
struct Shuffle final : LayerOf<Shuffle> {
    static constexpr std::string_view kKind = "Shuffle";

    std::vector<int64_t> firstTranspose; // axis i of the result is axis firstTranspose[i] of X; empty: as it is
    bool reshapes = false;               // into `reshape`, when there is no input 1
    std::vector<int64_t> reshape;        // one -1 at most: what the other extents leave over
    bool zeroIsPlaceholder = true;       // a 0 stands for the extent of that axis before reshaping; else for 0
    std::vector<int64_t> secondTranspose;

    static Shuffle transposing(std::vector<int64_t> permutation);
    static Shuffle reshaping(std::vector<int64_t> extents);
    /// Into the shape that input 1 has computed: a 0 is one.
    static Shuffle reshapingToInput(std::vector<int64_t> secondTranspose = {});

    void fields(Fields& f) override {
        f("firstTranspose", firstTranspose);
        f("reshapes", reshapes);
        f("reshape", reshape);
        f("zeroIsPlaceholder", zeroIsPlaceholder);
        f("secondTranspose", secondTranspose);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
    MovedInputs moved(Operands const& in) const override;
    bool readsValuesOf(int input) const override { return input == 1; }
};

/// The shape between reshaping and the second transposition of a Shuffle whose output has this shape.
Dims beforeTranspose(Dims const& transposed, std::vector<int64_t> const& permutation);

} // namespace tenon
