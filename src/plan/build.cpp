// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/build.h"

#include "layers/einsum/einsum.h"
#include "layers/identity/identity.h"
#include "passes/take_branches.h"
#include "plan/choose/asked_types.h"
#include "plan/choose/choose_kernels.h"
#include "plan/choose/keep_finite.h"
#include "plan/choose/keep_marks.h"
#include "plan/kernels/pack_weights.h"
#include "plan/plugins/plugin_steps.h"
#include "plan/prepare.h"
#include "plan/shapes/extent_demands.h"
#include "plan/shapes/fold_conditions.h"
#include "plan/time/time_kernels.h"

#include <unordered_map>

namespace tenon {
namespace {

/// Kernels of products need to know; einsums become products before.
void sumUpIndependently(Graph& graph) {
    for (auto const& node : graph.nodes()) {
        if (auto* layer = as<Einsum>(*node->layer)) layer->independent = true;
    }
}

/// Nodes that passes made have the name of a node that they replace, and its metadata; if inspectors show names only,
/// it is dropped.
void takeMetadata(Plan& plan, Graph const& network) {
    std::unordered_map<std::string_view, std::string_view> said;
    if (plan.settings.verbosity == ProfilingVerbosity::Detailed) {
        for (auto const& node : network.nodes()) said.emplace(node->name, node->metadata);
    }
    for (auto const& node : plan.graph.nodes()) {
        auto const found = said.find(node->name);
        node->metadata = found == said.end() ? "" : std::string(found->second);
    }
}

/// A run of an inner graph reads its outputs on the device, also those that decide shapes in it.
void bringOutputsToDevice(Graph& graph) {
    for (Tensor* output : std::vector(graph.outputs())) {
        if (output->onHost && !output->literal()) graph.replaceOutput(output, graph.emit(Identity{}, {output}));
    }
}

/// The steps of one build, called in this order.
class Building {
public:
    Building(Graph const& network, BuildConfig const& config, Entering const& entering)
        : network_(&network), config_(config), entering_(entering), marks_(network, config),
          origins_(config.origins ? config.origins : std::make_shared<PluginOrigins>()) {}

    /// A plan with a copy of the network: loops and conditionals as layers, plugins cloned, shapes inferred.
    void prepare() {
        enter(BuildStage::Optimize);
        outlined_ = outlined(*network_);
        if (outlined_) network_ = &*outlined_;
        plan_ = planOf(*network_, config_);
        clone(graph().order());
        inferApart(graph());
        marks_.settle(graph());
        plan_.profiles = profilesOf(graph(), config_.profiles);
        if (config_.settings.maxBatch == 0 && specialize(graph(), plan_.profiles)) {
            clone(takeBranches(graph()));
            marks_.settle(graph());
        }
        expectOneRank(graph());
        kept_ = networkToKeep(*network_, config_);
        if (kept_) plan_.network = [kept = kept_] { return *kept; };
    }

    /// Passes, between the preparations that preserve requested types and demands on extents.
    void rewrite() {
        ExtentDemands const demands(graph());
        settleAskedTypes(graph(), config_);
        keepFinite(graph(), config_.settings.precision);
        if (config_.settings.independent) sumUpIndependently(graph());
        runPassesKeepingMarks(graph(), config_.settings, config_.log);
        demands.addTo(graph());
        takeMetadata(plan_, *network_);
        marks_.mark(graph());
        if (config_.isInside) bringOutputsToDevice(graph());
    }

    /// Instead of the steps below, if no kernels are to be chosen.
    void rewriteInside() { rewriteBodies(plan_, config_, buildInside); }

    /// Kernels, labels and reformats; plugins are started in their variants.
    void choose() {
        if (config_.settings.pluginAliases) askAliases(plan_);
        enter(BuildStage::ChooseKernels);
        timer_.emplace(config_.tuning, plan_.builtOn, config_.log);
        BuildConfig inside = config_;
        inside.origins = origins_;
        selected_ = chooseKernels(plan_, inside, *timer_, buildInside);
        sharePluginsInside(plan_, *origins_);
        if (kept_) sharePlugins(*kept_, plan_, *origins_);
    }

    void pack() {
        enter(BuildStage::PackWeights);
        packWeights(plan_);
    }

    void tune() {
        if (config_.tuning.enabled) timeKernels(plan_, config_, *timer_, selected_);
    }

    Plan takePlan() { return std::move(plan_); }

private:
    static Plan buildInside(Graph const& body, BuildConfig const& config) { return build(body, config); }

    void enter(BuildStage stage) const {
        if (entering_) entering_(stage);
    }

    void clone(std::vector<Node*> const& nodes) {
        if (config_.choosesKernels) clonePlugins(nodes, plan_.device, *origins_);
    }

    Graph& graph() { return plan_.graph; }

    Graph const* network_; // as stored, then outlined
    BuildConfig const& config_;
    Entering const& entering_;
    HostMarks marks_;
    std::shared_ptr<PluginOrigins> origins_;
    std::optional<Graph> outlined_;
    std::shared_ptr<Graph> kept_;
    std::optional<Timer> timer_;
    SelectedTactics selected_;
    Plan plan_;
};

} // namespace

std::span<std::string_view const> names(BuildStage) {
    static constexpr std::string_view kNames[]{"Optimizing the network", "Choosing kernels", "Packing weights",
                                               "Saving the engine"};
    return kNames;
}

Plan build(Graph const& network, BuildConfig const& config, Entering const& entering) {
    Building building(network, config, entering);
    building.prepare();
    building.rewrite();
    if (!config.choosesKernels) {
        building.rewriteInside();
        return building.takePlan();
    }
    building.choose();
    building.pack();
    building.tune();
    Plan plan = building.takePlan();
    for (std::string const& note : plan.notes) say(config.log, Severity::Info, note);
    return plan;
}

} // namespace tenon
