// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/plan.h"

#include <vector>

namespace tenon::test {

/// The outputs of a network for these inputs: built for exactly their shapes (and for the elements of those that
/// decide shapes), and run.
std::vector<Literal> runEngine(Graph const& network, std::vector<Literal> const& inputs, BuildConfig config = {});

} // namespace tenon::test
