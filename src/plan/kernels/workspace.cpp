// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/kernels/workspace.h"

#include "backends/empty_tensors.h"
#include "base/error.h"

#include <algorithm>

namespace tenon {

size_t workspaceBytes(Assignment const& choice, ProfileShapes const& shapes) {
    size_t most = 0;
    std::vector<NodeDims> all = shapes.largestFor(*choice.node);
    if (shapes.isOpen(*choice.node)) all.push_back(shapes.dimsFor(*choice.node));
    for (NodeDims const& dims : all) {
        PrepareArgs const args{*choice.node, choice.variant, dims.inputs, dims.outputs, choice.packed};
        try {
            most = std::max(most, prepared(*choice.kernel, args)->workspaceBytes());
        } catch (Error const&) {
            if (!shapes.isOpen(*choice.node)) throw;
        }
    }
    return most;
}

size_t workspaceBytes(Plan const& plan, Assignment const& choice) {
    size_t most = 0;
    for (Profile const& profile : plan.profiles)
        most = std::max(most, workspaceBytes(choice, ProfileShapes(plan.graph, profile)));
    return most;
}

std::string tooMuchWorkspace(size_t bytes, size_t limit) {
    return text("takes ", bytes, " bytes of workspace; the limit is ", limit, " (setMemoryPoolLimit with kWORKSPACE)");
}

} // namespace tenon
