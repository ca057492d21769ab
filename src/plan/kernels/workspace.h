// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"
#include "plan/shapes/profile_shapes.h"

#include <string>

namespace tenon {

/// The most bytes of workspace that a kernel needs within a profile, or within all. Weights are already packed.
size_t workspaceBytes(Assignment const& choice, ProfileShapes const& shapes);
size_t workspaceBytes(Plan const& plan, Assignment const& choice);
/// Why that is refused, as a clause.
std::string tooMuchWorkspace(size_t bytes, size_t limit);

} // namespace tenon
