// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Removes nodes that change nothing (their readers read what they read) and nodes whose results nobody reads. Inputs
/// of the network stay, read or not.
void removeDead(Graph& graph);

/// The latter alone. Debug tensors are read by programs.
void removeUnread(Graph& graph);

} // namespace tenon
