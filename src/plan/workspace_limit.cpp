// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/workspace_limit.h"

#include "backends/empty_tensors.h"
#include "plan/plugin_steps.h"
#include "plan/profile_shapes.h"
#include "plugin/plugin_devices.h"
#include "plugin/plugin_layer.h"

#include <algorithm>

namespace tenon {
namespace {

bool isSame(Assignment const& a, Assignment const& b) {
    return a.node == b.node && a.kernel == b.kernel && a.variant.inputs == b.variant.inputs &&
           a.variant.outputs == b.variant.outputs && a.variant.packed == b.variant.packed &&
           a.variant.tactic == b.variant.tactic;
}

size_t workspaceOf(Assignment const& choice, ProfileShapes const& shapes, Device device) {
    Node const& node = *choice.node;
    if (auto const* layer = as<PluginLayer>(*node.layer)) {
        PortRanges const ranges = shapes.rangesOf(node, choice.variant);
        PluginDevice const where(deviceOf(choice.variant, device));
        auto const plugin = layer->plugin().clone(); // there are those that take one configuration only
        plugin->node = node.name;
        plugin->configure(ranges, choice.variant);
        plugin->built.tactic = choice.variant.tactic;
        Started const started(*plugin); // plugins without dynamic shapes are asked behind that
        return plugin->workspace(ranges);
    }
    auto const inputs = shapes.dimsOf(node.inputs(), ProfilePoint::Max);
    auto const outputs = shapes.dimsOf(node.outputs(), ProfilePoint::Max);
    return prepared(*choice.kernel, {node, choice.variant, inputs, outputs, choice.packed})->workspaceBytes();
}

} // namespace

WorkspaceLimit::WorkspaceLimit(Plan const& plan, BuildConfig const& config)
    : plan_(plan), kernelsToo_(config.workspaceLimit.has_value()),
      limit_(config.workspaceLimit.value_or(backendOf(plan.device).memoryBytes())) {}

/// Without a limit of the program's, our own kernels are trusted: a plugin may ask for anything.
bool WorkspaceLimit::isMeasured(Assignment const& choice) const {
    return kernelsToo_ || as<PluginLayer>(*choice.node->layer) != nullptr;
}

size_t WorkspaceLimit::bytesOf(Assignment const& choice) const {
    size_t most = 0;
    for (Profile const& profile : plan_.profiles)
        most = std::max(most, workspaceOf(choice, ProfileShapes(plan_, profile), plan_.device));
    return most;
}

bool WorkspaceLimit::refuses(std::vector<Candidates>& candidates, LabelChoice const& choice) {
    size_t const before = refused_.size();
    std::vector<Assignment*> chosen;
    for (size_t i = 0; i < candidates.size(); ++i) {
        auto& choices = candidates[i].choices;
        Assignment& one = choices[static_cast<size_t>(choice.nodes[i] - choices.data())];
        if (isMeasured(one)) chosen.push_back(&one);
    }
    packWeights(plan_, chosen); // kernels get ready with their weights
    for (Assignment* one : chosen) {
        size_t const bytes = locate([&] { return text(*one->node); }, [&] { return bytesOf(*one); });
        if (bytes > limit_) refused_.push_back({*one, bytes});
        if (auto* layer = as<PluginLayer>(*one->node->layer))
            layer->decided(one->variant.tactic, static_cast<int64_t>(bytes));
    }
    return refused_.size() != before;
}

std::string WorkspaceLimit::refusal(Assignment const& choice) const {
    auto const found =
        std::ranges::find_if(refused_, [&](Refused const& refused) { return isSame(refused.choice, choice); });
    if (found == refused_.end()) return {};
    return tooMuch(found->bytes);
}

std::string WorkspaceLimit::tooMuch(size_t bytes) const {
    return text("takes ", bytes, " bytes of workspace; the limit is ", limit_, " (setMemoryPoolLimit with kWORKSPACE)");
}

void WorkspaceLimit::expectFits(Assignment const& choice, int64_t tactic) const {
    if (!isMeasured(choice)) return;
    Assignment tried = choice;
    tried.variant.tactic = tactic;
    size_t const bytes = bytesOf(tried);
    if (bytes > limit_) fail(ErrorCode::Memory, "it ", tooMuch(bytes));
}

} // namespace tenon
