// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

#include <vector>

namespace tenon {

/// Packs constant inputs into the order that the chosen kernels read.
void packWeights(Plan& plan);
/// The same for some; already packed ones are unchanged.
void packWeights(Plan const& plan, std::vector<Assignment*> const& assignments);

} // namespace tenon
