// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/rebuild_plan.h"

#include "base/error.h"
#include "graph/body.h"
#include "plan/build.h"
#include "plan/plugins/revive_plugins.h"
#include "plugin/plugin_layer.h"

namespace tenon {
namespace {

/// Inputs and outputs keep the types and formats that the application knows.
void keepIoLabels(BuildConfig& config, Graph const& graph) {
    for (auto const* tensors : {&graph.inputs(), &graph.outputs()}) {
        for (Tensor const* tensor : *tensors) {
            Label label = tensor->label;
            if (!tensor->onHost) label.device = config.device;
            config.ioLabels[tensor->name] = {label};
        }
    }
}

} // namespace

Plan rebuildPlan(Plan const& plan, std::string const& why, ReadOptions const& options) {
    if (!plan.network || !options.rebuild) {
        std::string const lacks = plan.network ? ""
                                               : "; it has no network to build again, because network retention was "
                                                 "disabled or plugins compiled kernels for that device";
        if (plan.device == options.device) fail(ErrorCode::Device, why, lacks, "; build it on this machine");
        fail(ErrorCode::Device, why, lacks,
             "; build it for this device, or select the engine's with TENON_DEVICE=", plan.device);
    }
    if (plan.settings.isStripped)
        fail(ErrorCode::Device, why,
             "; its weights are not in the engine, so it cannot be built again here; build it on this machine");
    say(options.log, Severity::Info, text(why, ": its network is built again"));
    Graph network = plan.network();
    forEachNode(network, [](Node& node) { // plugins created for the build phase are queried again
        if (auto* layer = as<PluginLayer>(*node.layer)) layer->forgetAnswers();
    });
    revivePlugins(network, PluginPhase::Build, options);
    BuildConfig config = configOf(plan);
    config.device = options.device;
    config.log = options.log;
    keepIoLabels(config, plan.graph);
    Plan again = build(network, config);
    again.libraries = plan.libraries;
    return again;
}

} // namespace tenon
