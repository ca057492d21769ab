// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Whether the node runs as a step of the engine. The others are constants, and nodes that the host evaluates with
/// shapes: shape tensors, and layers without outputs (assertions).
bool isEngineStep(Node const& node);

} // namespace tenon
