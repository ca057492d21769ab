// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/json/json_memory.h"
#include "plan/plan.h"

#include <string>

namespace tenon {

/// A plan is not trusted: a checksum detects damage, not tampering. These functions check all properties that the
/// runtime, the kernels and the plugin adapters rely on; an Error names the one that does not hold.

/// A network that a plan keeps, to be built again. Properties that only an optimized graph has are removed.
void verifyNetwork(Graph& network);

/// A graph from a plan: types and shapes equal those inferred by its layers' rules (shapes are replaced by these),
/// shape tensors are on the host, inputs and outputs have different names. Before plugins are created, properties that
/// depend on them are not checked.
void verifyGraph(Graph& graph, Device device);

/// The manifest describes the plugins of the graph.
void verifyManifest(Graph const& graph, Json const& manifest);

/// A plan whose plugins have been created: its graph, profiles and plugins are checked, and each kernel is queried
/// again for the node's variant, whose labels must be those of the tensors. For a plan that was built on another
/// machine, where kernels may offer other variants, returns why one does not; else "".
std::string verify(Plan& plan, bool isFromElsewhere);

/// Checks that each kernel still offers the plan's variant after layers were exchanged since the verification
/// (refit.h).
void verifyKernels(Plan& plan);

} // namespace tenon
