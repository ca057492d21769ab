// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "base/dims.h"

#include <vector>

namespace tenon {

/// One part of what a node computes for a batch: its shapes, those of the node with extents of 1 along the batch, and
/// how many elements to step over along each axis of the batch to the next part.
struct BatchPart {
    Dims batch; // number of parts
    std::vector<Dims> inputs;
    Dims output;
    std::vector<Dims> inputSteps;
    Dims outputSteps;
};

} // namespace tenon
