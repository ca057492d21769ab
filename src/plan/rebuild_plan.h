// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/read_options.h"

namespace tenon {

/// The network of a plan that was read, built again for options.device; `why`, a sentence, is logged. An Error if the
/// plan has no network, or rebuilding is disabled.
Plan rebuildPlan(Plan const& plan, std::string const& why, ReadOptions const& options);

} // namespace tenon
