// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/bytes.h"

#include <cstddef>
#include <string>
#include <vector>

namespace tenon::test {

struct FuzzedPlan {
    std::string name;
    Bytes bytes;
};

/// Small engines that together contain most kinds of layers and kernels, shape tensors, plugins of two generations,
/// data-dependent sizes, lower precision and implicit batch. Registers the creators of their plugins permanently.
std::vector<FuzzedPlan> makeFuzzedPlans();

} // namespace tenon::test
