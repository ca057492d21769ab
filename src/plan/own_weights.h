// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// Copies the constants that the plan only borrows, those of the program: from now on it needs nothing of it.
void ownWeights(Plan& plan);

} // namespace tenon
