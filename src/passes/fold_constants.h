// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// What is known before run time becomes a Constant: small integer tensors whose values the shape rules tell, and
/// results of nodes that read constants only, computed by the reference, unless that would take much more memory than
/// what they are made of. Shapes that were symbols because of such a node are inferred again.
void foldConstants(Graph& graph);

} // namespace tenon
