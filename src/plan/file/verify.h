// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/json/json_memory.h"
#include "plan/plan.h"

#include <string>

namespace tenon {

/// A plan is not trusted: a checksum detects damage, not tampering. These functions check what the runtime, the kernels
/// and the plugin adapters later rely on; an Error names what does not hold.

/// A network that was kept in a plan, to be built from. What only an optimized graph has is removed from it.
void verifyNetwork(Graph& network);

/// A graph from a plan: types and shapes are those that the rules of its layers give (shapes are replaced by these),
/// shape tensors are on the host, inputs and outputs have different names. While plugins have not been made, what only
/// they can tell is not checked.
void verifyGraph(Graph& graph, Device device);

/// The manifest describes the plugins of the graph.
void verifyManifest(Graph const& graph, Json const& manifest);

/// A plan whose plugins have been made: its graph, profiles and plugins are checked, and each kernel is asked again
/// whether it offers the node's variant, whose labels must be those of the tensors. For a plan that was built on
/// another machine, where kernels may offer other variants, returns why one does not; else "".
std::string verify(Plan& plan, bool isFromElsewhere);

/// Each kernel offers what the plan says, whose layers have been exchanged for others since it was verified (refit.h).
void verifyKernels(Plan& plan);

} // namespace tenon
