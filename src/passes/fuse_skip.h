// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// A sum that only a Normalization reads becomes its skip and shift: x + skip of one shape, optionally a bias that
/// broadcasts. Kernels add them while reading, so that the sum is never stored.
void fuseSkip(Graph& graph);

} // namespace tenon
