// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "plan/build_config.h"

namespace tenon {

/// Leaves of what a program asks of single nodes and tensors (askedType) what kernels have to be chosen for: drops what
/// holds anyway, or is not to be regarded; converts 16-bit tensors of the network to float32 around nodes that are to
/// compute in another type, so that only float32 tensors are left to ask for. What cannot be met is an Error that names
/// the node, or a warning, as the configuration says. Shapes are inferred, tensors on the host marked.
void settleAskedTypes(Graph& graph, BuildConfig const& config);

/// Asks nothing of the node and its outputs any more.
void forgetAskedTypes(Node& node);

/// What is asked of it, as in "asked to compute in float16"; empty where nothing is.
std::string askedOf(Node const& node);

/// Why the variant is not what is asked of its node, as a clause; empty where it is.
std::string unaskedBy(Node const& node, Variant const& variant);

} // namespace tenon
