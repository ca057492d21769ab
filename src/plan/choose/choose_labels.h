// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "plan/build_config.h"
#include "plan/kernels/candidates.h"

namespace tenon {

/// One variant for every node and one label for every tensor.
struct LabelChoice {
    std::vector<Assignment const*> nodes;           // point into the candidates, in their order
    std::vector<std::pair<Tensor*, Label>> labels;  // as the tensor is produced, or fed as an input
    std::vector<std::pair<Tensor*, Label>> outputs; // the label of the outputs of the network
};

/// The choice with the least total cost of nodes and reformats; `candidates` must outlive it.
LabelChoice chooseLabels(Plan const& plan, std::vector<Candidates> const& candidates, BuildConfig const& config);

} // namespace tenon
