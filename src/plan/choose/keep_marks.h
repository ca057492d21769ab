// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "graph/graph.h"
#include "plan/settings.h"

namespace tenon {

/// Runs the passes so that debug tensors and what programs ask of single nodes and tensors (askedType) outlast them: a
/// node that passes make stands for nodes that are asked for one type, and is asked for it.
/// Leaves out passes that lose NaNs where the settings keep these, and those that the settings name.
void runPassesKeepingMarks(Graph& graph, PlanSettings const& settings, Log const& log);

} // namespace tenon
