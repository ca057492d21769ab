// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/workspace_limit.h"

#include "backends/empty_tensors.h"
#include "base/error.h"
#include "plan/profile_shapes.h"

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
        most = std::max(most, workspaceBytes(choice, ProfileShapes(plan, profile)));
    return most;
}

std::string tooMuchWorkspace(size_t bytes, size_t limit) {
    return text("takes ", bytes, " bytes of workspace; the limit is ", limit, " (setMemoryPoolLimit with kWORKSPACE)");
}

WorkspaceLimit::WorkspaceLimit(Plan const& plan, BuildConfig const& config, BegunPlugins& plugins)
    : plan_(plan), plugins_(plugins), kernelsToo_(config.settings.workspaceLimit.has_value()),
      limit_(config.settings.workspaceLimit.value_or(backendOf(plan.device).memoryBytes())) {}

/// Without a limit set by the program only plugins are measured, which may ask for anything. The graphs inside of a
/// node were built under the limit.
bool WorkspaceLimit::isMeasured(Assignment const& choice) const {
    return choice.isPlugin() || (kernelsToo_ && choice.kernel != nullptr);
}

size_t WorkspaceLimit::bytesOf(Assignment const& choice) const {
    if (choice.isPlugin()) return plugins_.begin(choice);
    return workspaceBytes(plan_, choice);
}

bool WorkspaceLimit::refuses(std::vector<Candidates>& candidates, LabelChoice const& choice) {
    size_t const before = refused_.size();
    std::vector<Assignment*> chosen;
    for (size_t i = 0; i < candidates.size(); ++i) {
        auto& choices = candidates[i].choices;
        Assignment& one = choices[static_cast<size_t>(choice.nodes[i] - choices.data())];
        if (isMeasured(one)) chosen.push_back(&one);
    }
    packWeights(plan_, chosen); // kernels are prepared with their weights
    for (Assignment* one : chosen) {
        size_t const bytes = locate([&] { return text(*one->node); }, [&] { return bytesOf(*one); });
        if (bytes <= limit_) continue;
        refused_.push_back({*one, bytes});
        if (one->isPlugin()) plugins_.end(*one->node);
    }
    return refused_.size() != before;
}

std::string WorkspaceLimit::refusal(Assignment const& choice) const {
    auto const found =
        std::ranges::find_if(refused_, [&](Refused const& refused) { return isSameWay(refused.choice, choice); });
    if (found == refused_.end()) return {};
    return tooMuchWorkspace(found->bytes, limit_);
}

} // namespace tenon
