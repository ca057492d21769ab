// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Runs as a step of the engine. The others are constants, and what the host says when shapes are worked out: shape
/// tensors, and layers without outputs (assertions).
bool isEngineStep(Node const& node);

} // namespace tenon
