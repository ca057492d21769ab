// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/shapes/profile.h"

namespace tenon {

/// The extents of inputs that all profiles fix (min = max) to the same number become constants. True if there are any:
/// the caller then infers all shapes again.
bool fixExtents(Graph& graph, std::vector<Profile> const& profiles);

/// The shape of an input or output, as far as it is the same for all inputs that the profile allows: extents that the
/// profile fixes are constant.
Shape shapeIn(Profile const& profile, Graph const& graph, Tensor const& io);

} // namespace tenon
