// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Replaces an input of a graph by a constant for all of its consumers. The input stays.
void putInPlace(Graph& graph, Tensor* input, Literal const& value);

} // namespace tenon
