// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/workspace_limit.h"

#include "base/error.h"
#include "plan/kernels/pack_weights.h"
#include "plan/kernels/workspace.h"

#include <algorithm>

namespace tenon {

WorkspaceLimit::WorkspaceLimit(Plan const& plan, BuildConfig const& config, BegunPlugins& plugins)
    : plan_(plan), plugins_(plugins), kernelsToo_(config.settings.workspaceLimit.has_value()),
      limit_(config.settings.workspaceLimit.value_or(backendOf(plan.device).memoryBytes())) {}

/// Without a limit set by the application only plugins are measured, whose workspace is not bounded. The graphs inside
/// a node were built under the limit.
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
