// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/json_fields.h"
#include "plan/plan.h"

#include <string>

namespace tenon {

/// A plan is not trusted: a checksum tells damage, not who wrote it. These establish what the runtime, the kernels and
/// the adapters of plugins later take for granted; an Error names what does not hold.

/// A network that was kept in a plan, to be built from: what only an optimized graph has is removed.
void verifyNetwork(Graph& network);

/// A graph as it stands in a plan: types and shapes are those that the rules of its layers give (and are set), shape
/// tensors are where they are read, inputs and outputs can be told apart. Without plugins, what only those can tell is
/// left.
void verifyGraph(Graph& graph, Device device);

/// The manifest is that of these plugins.
void verifyManifest(Graph const& graph, Json const& manifest);

/// A plan whose plugins have been made: its graph, profiles and plugins, and each kernel is asked again: the node is
/// taken in a way that the kernel offers, with the labels that its tensors have. Returns why that is not so of a plan
/// that was built on another machine, whose kernels may offer other ways; else "".
std::string verify(Plan& plan, bool isFromElsewhere);

} // namespace tenon
