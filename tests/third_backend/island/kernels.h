// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/costs.h"
#include "backends/kernel.h"

namespace island {

inline constexpr tenon::Device kIsland{"island"};

tenon::Costs const& costs();

/// Its three kernels, by the kind of layer that they compute.
std::vector<tenon::Kernel const*> kernelsFor(std::string_view kind);

} // namespace island
