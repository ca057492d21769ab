// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <string>

namespace tenon {

/// A sum of products, given by an equation: "ij,jk->ik" is a matrix product. X… [the axes of its term] → Y [the axes
/// after the arrow]; all of one type with arithmetic. Letters name axes. A letter that a term has twice is the
/// diagonal; one that the output lacks is summed over. "..." matches any axes, which broadcast as in numpy. Without an
/// arrow the output has the axes of "...", then the letters that occur once, in ASCII order. An axis of extent 1 fits
/// every extent. It has no kernels: lower_einsum replaces it by transpositions, matrix products and sums.
struct Einsum final : LayerOf<Einsum> {
    static constexpr std::string_view kKind = "Einsum";

    std::string equation;
    /// The axes that are summed over are reduced by identical operations for all indices of the first input's other
    /// axes.
    bool independent = false;

    void fields(Fields& f) override {
        f("equation", equation);
        if (f.visits("independent", independent)) f("independent", independent);
    }
    std::vector<Result> infer(Operands const& in) const override;
    void reference(std::span<HostTensor const> in, std::span<HostTensor const> out) const override;
};

/// The axes of each input and of the output as numbers: of letters, and below zero those of "...", -1 the last one.
using Labels = std::vector<int>;
struct EinsumTerms {
    std::vector<Labels> inputs;
    Labels output;
};

/// Throws an Error if the equation is invalid, or does not match inputs of these ranks.
EinsumTerms einsumTerms(std::string_view equation, std::vector<int> const& ranks);
/// Throws an Error if the equation is invalid for any inputs.
void checkEquation(std::string_view equation);

/// Adds layers that compute the same, products as matrix products.
Tensor* addAsPlainLayers(Graph& graph, Einsum const& layer, std::vector<Tensor*> const& inputs);

} // namespace tenon
