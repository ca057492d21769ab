// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// Copies the constants that the plan borrows from the application, so that the application's memory is no longer
/// needed.
void ownWeights(Plan& plan);

} // namespace tenon
