// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "graph/graph.h"

#include <functional>
#include <set>

namespace tenon {

/// Whether a profile gives the elements of an input of a network.
using IsGiven = std::function<bool(Tensor const& input)>;
/// Whether a profile can: those of few integers or bools, of rank 0 or 1.
bool canBeGiven(Tensor const& input);

/// The tensors whose elements are known at run time only: those computed from other inputs, plugins and random numbers.
std::set<Tensor const*> knownToRunsOnly(Graph const& graph, IsGiven const& isGiven = canBeGiven);

/// Marks the shape tensors (Tensor::onHost): those whose elements decide a shape, and all that they are computed from.
/// Those known at run time only are not marked: steps of the engine compute them, and they are read after these have
/// run (isMeasured()).
void markHostTensors(Graph& graph, IsGiven const& isGiven = canBeGiven);

/// Whether the elements of this input of a node decide shapes, and a step of the engine computes them, or the caller
/// passes them with a run.
bool isMeasured(Node const& node, int input);

} // namespace tenon
