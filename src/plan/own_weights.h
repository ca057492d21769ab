// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

namespace tenon {

/// Copies the constants that the plan only borrows from the program, whose memory it does not need from now on.
void ownWeights(Plan& plan);

} // namespace tenon
