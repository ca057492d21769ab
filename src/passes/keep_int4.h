// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Products with constants that are dequantized from 4 bits read the int4 constants instead.
void keepInt4(Graph& graph);

} // namespace tenon
