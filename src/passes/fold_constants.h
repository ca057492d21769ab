// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Tensors known before run time become a Constant: small integer tensors whose values the shape rules know, and
/// results of nodes that read constants only, computed by the reference, unless they would need much more memory than
/// their inputs. Shapes that were symbols because of such a node are inferred again.
void foldConstants(Graph& graph);

} // namespace tenon
