// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon::test {

/// Expects the invariants of a pass: both graphs (of constant shapes) compute the same for these inputs, except for
/// rounding, NaN and infinity where the other has them, and have the same number and names of outputs.
void expectSame(Graph const& found, Graph const& expected, std::vector<Literal> const& inputs);

} // namespace tenon::test
