// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <string>

namespace tenon {

/// A sum of products, written as an equation: "ij,jk->ik" is a product of matrices. X… [the axes of its term] → Y [the
/// axes behind the arrow]; all numbers of one type. Letters name axes. One that a term has twice stands for the
/// diagonal; one that the output lacks is summed over. "..." stands for any axes, which broadcast as in numpy. Without
/// an arrow the output has the axes of "...", then the letters that occur once, in the order of ASCII. An axis of
/// extent 1 fits every extent. No kernel computes it: lower_einsum makes it transpositions, products of matrices and
/// sums.
struct Einsum final : LayerOf<Einsum> {
    static constexpr std::string_view kKind = "Einsum";

    std::string equation;
    /// What is summed up along is the same for all places of the first input's other axes, by identical operations.
    bool independent = false;

    void fields(Fields& f) override {
        f("equation", equation);
        if (f.visits("independent", independent)) f("independent", independent);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// The axes of each input and of the output by numbers: of letters, and below zero those of "...", -1 the last one.
using Labels = std::vector<int>;
struct EinsumTerms {
    std::vector<Labels> inputs;
    Labels output;
};

/// An Error when the equation cannot be read, or not for inputs of these ranks.
EinsumTerms einsumTerms(std::string_view equation, std::vector<int> const& ranks);
/// An Error when the equation cannot be read, whatever it is for.
void checkEquation(std::string_view equation);

/// Adds layers that compute the same, products as products of matrices.
Tensor* addAsPlainLayers(Graph& graph, Einsum const& layer, std::vector<Tensor*> const& inputs);

} // namespace tenon
