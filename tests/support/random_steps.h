// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "support/written_graph.h"

#include <random>

namespace tenon::test {

/// Numbers with which reordered arithmetic shows: beyond and below what products hold, integers that floats just hold,
/// divisors, constants that cancel each other.
std::vector<float> const& tellingNumbers();

/// A network of elementwise layers, casts and comparisons, in random order, on two inputs of telling numbers, NaN and
/// infinities among them. Each layer's result is defined to the last bit: signs of zeros that are not (of a maximum of
/// 0 and -0) are removed. The same network for the same `random`.
WrittenGraph randomSteps(std::mt19937& random);

/// Whether two results are the same bit for bit; all NaNs are alike.
void expectSameBits(std::vector<Literal> const& found, std::vector<Literal> const& expected);

} // namespace tenon::test
