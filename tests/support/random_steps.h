// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/written_graph.h"

#include <random>

namespace tenon::test {

/// Numbers that reveal reordered arithmetic: overflowing and underflowing in products, the largest exact integers in
/// float, divisors, constants that cancel each other.
std::vector<float> const& tellingNumbers();

/// A network of elementwise layers, casts and comparisons, in random order, on two inputs of such numbers, NaN and
/// infinities among them. Each layer's result is defined bit for bit: undefined signs of zeros (of a maximum of 0 and
/// -0) are removed. The same network for the same `random`.
WrittenGraph randomSteps(std::mt19937& random);

/// Whether two results are the same bit for bit; all NaNs are equal.
void expectSameBits(std::vector<Literal> const& found, std::vector<Literal> const& expected);

} // namespace tenon::test
