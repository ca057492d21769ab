// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

namespace tenon {

/// Removes nodes without effect (their readers read their inputs instead) and nodes whose results have no readers.
/// Inputs of the network are kept, read or not.
void removeDead(Graph& graph);

/// The latter only. Debug tensors count as read.
void removeUnread(Graph& graph);

} // namespace tenon
