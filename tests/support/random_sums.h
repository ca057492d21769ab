// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/written_graph.h"

#include <random>

namespace tenon::test {

/// A network with one output, and for each of its elements the sum of the absolute values of its summands: the error of
/// any order of addition is within a multiple of that. 2^60 or more: it may overflow in one order and not in another.
struct Sums {
    WrittenGraph net;
    std::vector<float> sizes;
};

/// A convolution, deconvolution or product of matrices by constant weights, with sums, differences, products and
/// quotients by constants before and after it; some constants are special ones (random_steps.h), and in some networks
/// an element is NaN or infinite. The same network for the same `random`.
Sums randomSums(std::mt19937& random);

/// Expects |found - expected| <= 2^-20 of the element's size, and the same NaNs and infinities.
void expectWithin(Literal const& found, Literal const& expected, std::vector<float> const& sizes);

} // namespace tenon::test
