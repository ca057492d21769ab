// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/log.h"
#include "graph/graph.h"
#include "plan/settings.h"

namespace tenon {

/// Runs the passes so that debug tensors and requested types of nodes and tensors (askedType) survive: a node made by
/// passes replaces nodes with one requested type, and gets it. Skips passes that lose NaNs if the settings keep these,
/// and those that the settings name.
void runPassesKeepingMarks(Graph& graph, PlanSettings const& settings, Log const& log);

} // namespace tenon
