// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// A network → a plan for config.device. The network stays as it is. An Error says which node cannot be computed and
/// why not, by every kernel that was asked.
Plan build(Graph const& network, BuildConfig const& config);

} // namespace tenon
