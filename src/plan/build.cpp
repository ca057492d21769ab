// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/build.h"

#include "base/error.h"
#include "base/utf8.h"
#include "graph/body.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "layers/control_edge/control_edge.h"
#include "layers/einsum/einsum.h"
#include "layers/identity/identity.h"
#include "passes/outline_control.h"
#include "passes/take_branches.h"
#include "plan/choose/asked_types.h"
#include "plan/choose/choose_kernels.h"
#include "plan/choose/keep_finite.h"
#include "plan/choose/keep_marks.h"
#include "plan/kernels/pack_weights.h"
#include "plan/plugins/plugin_steps.h"
#include "plan/shapes/extent_demands.h"
#include "plan/shapes/fixed_extents.h"
#include "plan/shapes/fold_conditions.h"
#include "plan/shapes/host_conditions.h"
#include "plan/shapes/host_tensors.h"
#include "plan/time/time_kernels.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace tenon {
namespace {

/// What nobody reads, as numbers that an importer made others of, need not lie in a file too.
void dropUnreadValues(Graph& network) {
    for (Node* const node : network.order()) {
        for (Graph* const body : node->layer->bodies()) dropUnreadValues(*body);
        auto const* const constant = as<Constant>(*node->layer);
        if (!constant || constant->decides || network.isOutput(node->output()) || node->output()->isDebug) continue;
        if (node->output()->readers().empty()) network.remove(node);
    }
}

void checkNames(Graph const& network) {
    expectName(network.name, "the name of the network");
    forEachNode(network, [](Node const& node) {
        expectName(node.name, text("the name of a layer (", node.kind(), ')'));
        auto const* const layer = as<PluginLayer>(*node.layer);
        if (!layer) return;
        auto const& [name, version, nameSpace] = layer->name();
        expectName(name, text(node.name, ": the name of its plugin"));
        expectName(version, text(node.name, ": the version of its plugin ", name));
        expectName(nameSpace, text(node.name, ": the namespace of its plugin ", name));
    });
    for (auto const& tensor : network.tensors()) {
        Node const* const producer = tensor->producer();
        expectName(tensor->name, producer ? text("the name of an output of ", producer->name) : "the name of an input");
    }
}

void checkNetwork(Graph const& network) {
    checkNames(network);
    if (network.outputs().empty()) fail(ErrorCode::InvalidModel, "the network has no output; mark one");
    std::set<std::string> names;
    for (auto const* tensors : {&network.inputs(), &network.outputs()}) {
        for (Tensor const* tensor : *tensors) {
            if (tensor->producer() == nullptr && tensors == &network.outputs())
                fail(ErrorCode::InvalidModel, "input ", tensor->name,
                     " of the network is marked as an output; mark what an identity layer (addIdentity) makes of it");
            if (!names.insert(tensor->name).second)
                fail(ErrorCode::InvalidModel, "two inputs or outputs of the network are called ", tensor->name);
        }
    }
}

/// Inputs whose shape is constant and networks that are static throughout need no profile.
std::vector<Profile> profilesOf(Graph const& network, std::vector<Profile> profiles) {
    if (profiles.empty()) profiles.emplace_back();
    for (Profile const& profile : profiles) {
        for (auto point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max}) inputsAt(network, profile, point);
    }
    return profiles;
}

/// Extents that only the run tells are called after their nodes: gives those of one name names of their own, or they
/// would be taken for equal. True where there are some.
bool nameSizesApart(Graph& graph) {
    std::set<std::string> names;
    bool any = false;
    for (auto const& node : graph.nodes()) {
        if (node->layer->sizes(operandsOf(*node)).empty()) continue;
        std::string const given = node->name;
        for (int number = 2; !names.insert(node->name).second; ++number) {
            node->name = text(given, " (", number, ')');
            any = true;
        }
    }
    return any;
}

void inferApart(Graph& graph) {
    graph.infer();
    if (nameSizesApart(graph)) graph.infer();
}

} // namespace

std::span<std::string_view const> names(BuildStage) {
    static constexpr std::string_view kNames[]{"Optimizing the network", "Choosing kernels", "Packing weights",
                                               "Saving the engine"};
    return kNames;
}

/// Of a plugin that compiles, the plan keeps the kernel only: for another device there is nothing to build with.
static bool canBeBuiltAgain(Graph const& network) {
    bool compiles = false;
    forEachNode(network, [&](Node const& node) {
        auto const* layer = as<PluginLayer>(*node.layer);
        compiles = compiles || (layer && layer->plugin().traits().compiles);
    });
    return !compiles;
}

/// For building it again; null where the plan is to have none.
static std::shared_ptr<Graph> networkToKeep(Graph const& network, BuildConfig const& config) {
    if (!config.keepNetwork) return nullptr;
    if (!canBeBuiltAgain(network)) {
        if (!config.settings.refits) return nullptr;
        fail(ErrorCode::Unsupported,
             "weights are to be exchanged later, and a plugin of the network compiles its kernel "
             "when it is built (IPluginV3QuickAOTBuild); build it without BuilderFlag::kREFIT");
    }
    auto kept = std::make_shared<Graph>(network);
    dropUnreadValues(*kept);
    return kept;
}

/// The outputs that programs read on the host when shapes are inferred, by their places.
static std::vector<size_t> shapeOutputs(Graph const& network) {
    std::vector<size_t> places;
    for (size_t i = 0; i < network.outputs().size(); ++i) {
        if (network.outputs()[i]->onHost) places.push_back(i);
    }
    return places;
}

/// The network with its loops and conditionals as layers, each with its part of the network inside. Where it is known
/// what runs of a conditional, that stands in its place.
static std::optional<Graph> outlined(Graph const& network) {
    bool const hasAny = std::ranges::any_of(network.nodes(), [](auto const& node) {
        return node->kind() == ControlEdge::kKind || node->kind() == Conditional::kKind;
    });
    if (!hasAny) return {};
    Graph graph = network;
    if (nameSizesApart(graph)) graph.infer(); // the shapes of graphs inside are compared by them
    outlineControl(graph);
    takeBranches(graph);
    for (size_t const i : shapeOutputs(network)) graph.outputs()[i]->onHost = true;
    return graph;
}

/// Writes what all profiles fix, extents and conditions, into the graph. True if that is anything.
static bool specialize(Graph& graph, std::vector<Profile> const& profiles) {
    bool const isFixed = fixExtents(graph, profiles);
    if (isFixed) graph.infer();
    return foldConditions(graph, profiles) || isFixed;
}

/// Products say it to their kernels; einsums become such products before.
static void sumUpIndependently(Graph& graph) {
    for (auto const& node : graph.nodes()) {
        if (auto* layer = as<Einsum>(*node->layer)) layer->independent = true;
    }
}

/// The network as it is written, nothing chosen yet.
static Plan planOf(Graph const& network, BuildConfig const& config) {
    checkNetwork(network);
    Plan plan;
    plan.device = config.device;
    plan.builtOn = backendOf(config.device).describe();
    plan.settings = config.settings;
    plan.graph = network;
    return plan;
}

/// Nodes that passes made have the name of one that they stand for, and what was said of that one; where inspectors
/// show names only, it is dropped.
static void takeMetadata(Plan& plan, Graph const& network) {
    std::unordered_map<std::string_view, std::string_view> said;
    if (plan.settings.verbosity == ProfilingVerbosity::Detailed) {
        for (auto const& node : network.nodes()) said.emplace(node->name, node->metadata);
    }
    for (auto const& node : plan.graph.nodes()) {
        auto const found = said.find(node->name);
        node->metadata = found == said.end() ? "" : std::string(found->second);
    }
}

/// A run of a graph inside reads its outputs on the device, also those that decide shapes in it.
static void bringOutputsToDevice(Graph& graph) {
    for (Tensor* output : std::vector(graph.outputs())) {
        if (output->onHost && !output->literal()) graph.replaceOutput(output, graph.emit(Identity{}, {output}));
    }
}

/// The inputs of which profiles give the elements. Where they can and do not, that is an Error later.
static std::set<std::string> givenInputs(Graph const& network, BuildConfig const& config) {
    std::set<std::string> given;
    for (Tensor const* input : network.inputs()) {
        auto const gives = [&](Profile const& profile) {
            auto const range = profile.find(input->name);
            return range != profile.end() && !range->second.optValues.empty();
        };
        bool const isGiven = std::ranges::any_of(config.profiles, gives);
        if (isGiven || (!config.isInside && canBeGiven(*input))) given.insert(input->name);
    }
    return given;
}

static Plan buildInside(Graph const& network, BuildConfig const& config) { return build(network, config); }

Plan build(Graph const& written, BuildConfig const& config, Entering const& entering) {
    auto const enter = [&](BuildStage stage) {
        if (entering) entering(stage);
    };
    enter(BuildStage::Optimize);
    auto const forShapes = shapeOutputs(written);
    auto const changed = outlined(written);
    Graph const& network = changed ? *changed : written;
    Plan plan = planOf(network, config);
    auto const given = givenInputs(network, config);
    auto const markOnHost = [&] {
        for (size_t const i : forShapes) plan.graph.outputs()[i]->onHost = true;
        markHostTensors(plan.graph, [&](Tensor const& input) { return given.contains(input.name); });
    };
    auto const settleOnHost = [&] {
        markOnHost();
        if (!settleConditions(plan.graph)) return;
        plan.graph.infer();
        markOnHost();
    };
    auto const origins = config.origins ? config.origins : std::make_shared<PluginOrigins>();
    auto const clone = [&](std::vector<Node*> const& nodes) {
        if (config.choosesKernels) clonePlugins(nodes, plan.device, *origins);
    };
    clone(plan.graph.order());
    inferApart(plan.graph);
    settleOnHost();
    plan.profiles = profilesOf(plan.graph, config.profiles);
    if (config.settings.maxBatch == 0 && specialize(plan.graph, plan.profiles)) {
        clone(takeBranches(plan.graph));
        settleOnHost();
    }
    expectOneRank(plan.graph);
    auto const kept = networkToKeep(network, config);
    if (kept) plan.network = [kept] { return *kept; };

    ExtentDemands const demands(plan.graph);
    settleAskedTypes(plan.graph, config);
    keepFinite(plan.graph, config.settings.precision);
    if (config.settings.independent) sumUpIndependently(plan.graph);
    runPassesKeepingMarks(plan.graph, config.settings, config.log);
    demands.addTo(plan.graph);
    takeMetadata(plan, network);
    markOnHost();
    if (config.isInside) bringOutputsToDevice(plan.graph);
    if (!config.choosesKernels) return rewriteBodies(plan, config, buildInside), std::move(plan);
    if (config.settings.pluginAliases) askAliases(plan);
    enter(BuildStage::ChooseKernels);
    Timer timer(config.tuning, plan.builtOn, config.log);
    BuildConfig inside = config;
    inside.origins = origins;
    SelectedTactics const selected = chooseKernels(plan, inside, timer, buildInside);
    sharePluginsInside(plan, *origins);
    if (kept) sharePlugins(*kept, plan, *origins);
    enter(BuildStage::PackWeights);
    packWeights(plan);
    if (config.tuning.enabled) timeKernels(plan, config, timer, selected);
    for (std::string const& note : plan.notes) say(config.log, Severity::Info, note);
    return plan;
}

} // namespace tenon
