// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// Lets each Conditional be computed at shapes (Conditional::atShapes) whose condition follows from shapes, constants
/// and shape tensors. True if there are new ones: the caller then infers all shapes and marks shape tensors again.
bool settleConditions(Graph& graph);

/// Replaces conditions by constants that are the same for all shapes of the profiles. True if there are any.
bool foldConditions(Graph& graph, std::vector<Profile> const& profiles);

/// An Error where the branches of a Conditional have different ranks, and the profiles allow both.
void expectOneRank(Graph const& graph);

/// What decides shapes in graphs inside of nodes, and which of them runs: of the tensors around them those that follow
/// from shapes, constants and shape tensors, so that the host can compute them with the shapes.
std::vector<Tensor*> decidingInside(Graph const& graph);

} // namespace tenon
