// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "plan/build_config.h"

namespace tenon {

/// Reduces the types that an application requests for single nodes and tensors (askedType) to those that kernels must
/// be chosen for: drops those that hold anyway, or do not apply; casts 16-bit tensors of the network to float32 around
/// nodes that are to compute in another type, so that requests for float32 tensors remain. One that cannot be met is an
/// Error that names the node, or a warning, depending on the configuration. Shapes are inferred, tensors on the host
/// marked.
void settleAskedTypes(Graph& graph, BuildConfig const& config);

/// Removes the requested types of the node and its outputs.
void forgetAskedTypes(Node& node);

/// The requested types, as in "asked to compute in float16"; empty if there are none.
std::string askedOf(Node const& node);

/// Why the variant does not have the node's requested types, as a clause; empty if it has.
std::string unaskedBy(Node const& node, Variant const& variant);

} // namespace tenon
