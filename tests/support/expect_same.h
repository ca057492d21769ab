// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon::test {

/// What a pass must not change: both graphs (of constant shapes) compute the same for these inputs, but for rounding;
/// the names and number of outputs are the same.
void expectSame(Graph const& found, Graph const& expected, std::vector<Literal> const& inputs);

} // namespace tenon::test
