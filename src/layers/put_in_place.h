// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// What reads an input of a graph reads a constant of these elements from then on. The input stays.
void putInPlace(Graph& graph, Tensor* input, Literal const& value);

} // namespace tenon
