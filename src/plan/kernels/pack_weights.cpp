// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/kernels/pack_weights.h"

#include "plan/shapes/profile_shapes.h"

namespace tenon {

void packWeights(Plan& plan) {
    std::vector<Assignment*> all;
    for (Assignment& assignment : plan.nodes) {
        all.push_back(&assignment);
    }
    packWeights(plan, all);
}

void packWeights(Plan const& plan, std::vector<Assignment*> const& assignments) {
    ProfileShapes const shapes(plan.graph, plan.profiles.front());
    for (Assignment* assignment : assignments) {
        if (!assignment->variant.isPacked() || assignment->packed) continue;
        Node const& node = *assignment->node;
        NodeDims const dims = shapes.exactDimsFor(node);
        PrepareArgs const args{node, assignment->variant, dims.inputs, dims.outputs, nullptr};
        assignment->packed = std::make_shared<Packed>(assignment->kernel->pack(args));
    }
}

} // namespace tenon
