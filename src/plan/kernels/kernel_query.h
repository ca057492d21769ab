// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/kernel.h"
#include "plan/settings.h"

#include <vector>

namespace tenon {

/// The query to kernels for a node at these shapes.
KernelQuery kernelQuery(Node const& node, std::vector<Dims> inputs, std::vector<Dims> outputs,
                        PlanSettings const& settings);

/// The labels that are offered to a plugin for one of its tensors (null: absent), the most likely first.
std::vector<Label> labelsOffered(Tensor const* tensor, KernelQuery const& query, Device device);

} // namespace tenon
