// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "graph/graph.h"

namespace tenon {

/// Runs the passes so that debug tensors and what programs ask of single nodes and tensors (askedType) outlast them: a
/// node that passes make stands for nodes that are asked for one type, and is asked for it.
/// \param keepsNans without passes that lose NaNs
void runPassesKeepingMarks(Graph& graph, bool keepsNans, Log const& log);

} // namespace tenon
