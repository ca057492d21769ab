// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/prepare.h"

#include "base/error.h"
#include "base/utf8.h"
#include "graph/body.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "layers/control_edge/control_edge.h"
#include "passes/pass.h"
#include "plan/shapes/fixed_extents.h"
#include "plan/shapes/fold_conditions.h"
#include "plan/shapes/host_conditions.h"
#include "plan/shapes/host_tensors.h"
#include "plugin/plugin_layer.h"

#include <algorithm>

namespace tenon {
namespace {

/// Removes unused constants, such as those that an importer already transformed, so that files do not contain them.
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
                     " of the network is marked as an output; mark the output of an identity layer (addIdentity) "
                     "instead");
            if (!names.insert(tensor->name).second)
                fail(ErrorCode::InvalidModel, "two inputs or outputs of the network are called ", tensor->name);
        }
    }
}

/// Extents that are known at run time only are named after their nodes: gives equal names different ones, since equal
/// names mean equal extents. True if there are some.
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

/// For a plugin that compiles, the plan keeps the kernel only: another device cannot build it.
bool canBeBuiltAgain(Graph const& network) {
    bool compiles = false;
    forEachNode(network, [&](Node const& node) {
        auto const* layer = as<PluginLayer>(*node.layer);
        compiles = compiles || (layer && layer->plugin().traits().compiles);
    });
    return !compiles;
}

/// The outputs that applications read on the host when shapes are inferred, by index.
std::vector<size_t> shapeOutputs(Graph const& network) {
    std::vector<size_t> places;
    for (size_t i = 0; i < network.outputs().size(); ++i) {
        if (network.outputs()[i]->onHost) places.push_back(i);
    }
    return places;
}

/// The inputs whose elements profiles give. If they can and do not, that is an Error later.
std::set<std::string> givenInputs(Graph const& network, BuildConfig const& config) {
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

} // namespace

std::optional<Graph> outlined(Graph const& network) {
    bool const hasAny = std::ranges::any_of(network.nodes(), [](auto const& node) {
        return node->kind() == ControlEdge::kKind || node->kind() == Conditional::kKind;
    });
    if (!hasAny) return {};
    Graph graph = network;
    if (nameSizesApart(graph)) graph.infer(); // the shapes of inner graphs are compared by them
    for (Pass const& pass : outlining()) pass.run(graph);
    for (size_t const i : shapeOutputs(network)) graph.outputs()[i]->onHost = true;
    return graph;
}

Plan planOf(Graph const& network, BuildConfig const& config) {
    checkNetwork(network);
    Plan plan;
    plan.device = config.device;
    plan.builtOn = backendOf(config.device).describe();
    plan.settings = config.settings;
    plan.graph = network;
    return plan;
}

void inferApart(Graph& graph) {
    graph.infer();
    if (nameSizesApart(graph)) graph.infer();
}

HostMarks::HostMarks(Graph const& network, BuildConfig const& config)
    : outputs_(shapeOutputs(network)), inputs_(givenInputs(network, config)) {}

void HostMarks::mark(Graph& graph) const {
    for (size_t const i : outputs_) graph.outputs()[i]->onHost = true;
    markHostTensors(graph, [&](Tensor const& input) { return inputs_.contains(input.name); });
}

void HostMarks::settle(Graph& graph) const {
    mark(graph);
    if (!settleConditions(graph)) return;
    graph.infer();
    mark(graph);
}

std::vector<Profile> profilesOf(Graph const& network, std::vector<Profile> profiles) {
    if (profiles.empty()) profiles.emplace_back();
    for (Profile const& profile : profiles) {
        for (auto point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max}) inputsAt(network, profile, point);
    }
    return profiles;
}

bool specialize(Graph& graph, std::vector<Profile> const& profiles) {
    bool const isFixed = fixExtents(graph, profiles);
    if (isFixed) graph.infer();
    return foldConditions(graph, profiles) || isFixed;
}

std::shared_ptr<Graph> networkToKeep(Graph const& network, BuildConfig const& config) {
    if (!config.keepNetwork) return nullptr;
    if (!canBeBuiltAgain(network)) {
        if (!config.settings.refits) return nullptr;
        fail(ErrorCode::Unsupported,
             "a plugin of the network compiles its kernel when it is built (IPluginV3QuickAOTBuild), so the engine "
             "cannot be refitted; build it without BuilderFlag::kREFIT");
    }
    auto kept = std::make_shared<Graph>(network);
    dropUnreadValues(*kept);
    return kept;
}

} // namespace tenon
