// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/file/verify.h"

#include "base/error.h"
#include "plan/kernels/body_variant.h"
#include "plan/kernels/candidates.h"
#include "plan/kernels/engine_step.h"
#include "plan/kernels/kernel_query.h"
#include "plan/kernels/moved_integers.h"
#include "plan/plugins/begun_plugins.h"
#include "plan/plugins/plugin_manifest.h"
#include "plan/plugins/plugin_steps.h"
#include "plugin/plugin_devices.h"
#include "plugin/plugin_layer.h"

#include <algorithm>

namespace tenon {
namespace {

void verifyProfiles(Plan const& plan) {
    if (plan.profiles.empty()) fail(ErrorCode::InvalidPlan, "the engine has no profile");
    for (Profile const& profile : plan.profiles) {
        for (auto point : {ProfilePoint::Min, ProfilePoint::Opt, ProfilePoint::Max})
            inputsAt(plan.graph, profile, point);
    }
}

void expectWithin(std::string_view what, int64_t value, int64_t least, int64_t most) {
    if (value < least || value > most)
        fail(ErrorCode::InvalidPlan, what, " is ", value, "; expected ", least, " to ", most);
}

/// Inputs and outputs of a network with implicit batch have a first axis, which is hidden from some applications.
void verifyBatch(Plan const& plan) {
    expectWithin("max_batch", plan.settings.maxBatch, 0, INT32_MAX);
    expectWithin("aux_streams", plan.settings.auxStreams, 0, INT32_MAX);
    if (plan.settings.maxBatch == 0) return;
    for (auto const* tensors : {&plan.graph.inputs(), &plan.graph.outputs()}) {
        for (Tensor const* tensor : *tensors) {
            if (tensor->shape.empty())
                fail(ErrorCode::InvalidPlan, tensor->name, " is a scalar; expected a batch axis");
        }
    }
}

/// Applications pass inputs and outputs in the memory that the backend specifies.
void verifyPorts(Plan const& plan) {
    Device const device = backendOf(plan.device).ioDevice();
    for (auto const* tensors : {&plan.graph.inputs(), &plan.graph.outputs()}) {
        for (Tensor const* tensor : *tensors) {
            if (tensor->label.device != (tensor->onHost ? Device::Cpu : device))
                fail(ErrorCode::InvalidPlan, tensor->name, " is ", tensor->label, "; expected on the ",
                     tensor->onHost ? Device::Cpu : device);
        }
    }
}

/// Every node that runs on the device has one assignment, after those that it reads.
void verifyOrder(Plan const& plan) {
    size_t next = 0;
    for (Node const* node : plan.graph.order()) {
        bool const runs = isEngineStep(*node);
        bool const isNext = next < plan.nodes.size() && plan.nodes[next].node == node;
        if (runs != isNext) fail(ErrorCode::InvalidPlan, *node, ": has no kernel, or is at the wrong position");
        next += isNext ? 1 : 0;
    }
    if (next != plan.nodes.size()) fail(ErrorCode::InvalidPlan, "the nodes are in the wrong order");
}

void verifySizes(Node const& node) {
    for (SizeTensor const& size : as<PluginLayer>(*node.layer)->rules().sizes) {
        expectWithin("the output that is a size tensor", size.output, 0,
                     static_cast<int64_t>(node.outputs().size()) - 1);
        Tensor const& tensor = *node.output(static_cast<int>(size.output));
        bool const isInteger = tensor.type == DataType::Int32 || tensor.type == DataType::Int64;
        if (!isInteger || tensor.label.type != tensor.type || !tensor.shape.empty())
            fail(ErrorCode::InvalidPlan, "size tensor ", tensor.name, " is ", tensor.label, ' ', tensor.shape,
                 "; expected one integer");
    }
}

/// For all inputs and outputs.
int64_t extentsOf(Node const& node) {
    int64_t extents = 0;
    for (auto const* tensors : {&node.inputs(), &node.outputs()}) {
        for (Tensor const* tensor : *tensors) extents += tensor ? std::ssize(tensor->shape) : 0;
    }
    return extents;
}

void verifyBuilt(Plan const& plan, Node const& node, PluginBuilt const& built) {
    auto const inputs = static_cast<int64_t>(node.inputs().size());
    expectWithin("the tactic", built.tactic, INT32_MIN, INT32_MAX);
    expectWithin("the workspace", built.workspace, 0, int64_t{1} << 48);
    expectWithin("the input with the batch", built.batchInput, 0, std::max<int64_t>(inputs - 1, 0));
    int64_t const extents = built.largest.empty() ? 0 : std::ssize(plan.profiles) * extentsOf(node);
    expectWithin("the count of its largest extents", std::ssize(built.largest), extents, extents);
    checkAliases(plan, node, built.aliases);
}

/// Checks a plugin object that was created from the plan.
void verifyMade(Node const& node, PluginLayer const& layer, Device device) {
    if (!layer.hasPlugin() || layer.kernel()) return;
    Plugin& plugin = layer.plugin();
    if (device == Device::Cpu)
        expectRunsOnCpu(plugin);
    else if (!runsOnDevice(plugin, device))
        fail(ErrorCode::InvalidPlan, "the plugin does not run on ", device, "; the engine file requires it");
    if (plugin.generation().starts_with("IPluginV3")) return; // a runtime object need not know its outputs
    int const known = plugin.outputCount();
    if (known != static_cast<int>(node.outputs().size()))
        fail(ErrorCode::InvalidPlan, "the plugin has ", known, " outputs; the engine file has ", node.outputs().size());
    layer.expectSameAnswers();
}

void verifyPlugin(Plan const& plan, Assignment const& assignment, KernelQuery const& query) {
    Node const& node = *assignment.node;
    Variant const& variant = assignment.variant;
    auto const& layer = *as<PluginLayer>(*node.layer);
    Device const device = placeOf(variant, plan).data;
    if (device != plan.device && device != Device::Cpu)
        fail(ErrorCode::InvalidPlan, "a plugin runs on the device ", device, " in an engine for ", plan.device);
    auto const verifyPort = [&](Tensor const* tensor, Label const& label) {
        auto const offered = labelsOffered(tensor, query, device);
        if (std::ranges::find(offered, label) == offered.end())
            fail(ErrorCode::InvalidPlan, "a plugin does not support ", label, "; the engine file requires it");
    };
    for (size_t i = 0; i < variant.inputs.size(); ++i) verifyPort(node.inputs()[i], variant.inputs[i]);
    for (size_t i = 0; i < variant.outputs.size(); ++i) verifyPort(node.outputs()[i], variant.outputs[i]);
    if (variant.isPacked() || variant.view) fail(ErrorCode::InvalidPlan, "a plugin has packed inputs or views");
    verifySizes(node);
    verifyBuilt(plan, node, layer.built());
    verifyMade(node, layer, device);
}

bool isSameWay(Variant const& a, Variant const& b) {
    return a.inputs == b.inputs && a.outputs == b.outputs && a.packed == b.packed && a.code == b.code &&
           a.view == b.view;
}

/// The offered variant that the plan names; null if there is none.
Variant const* offeredAs(Variant const& said, Kernel const& kernel, Offer const& offer) {
    for (Variant const& variant : offer.variants) {
        if (!isSameWay(variant, said) || variant.compute != said.compute) continue;
        if (variant.tactic == said.tactic) return &variant;
        auto const tactics = kernel.tactics(variant);
        if (std::ranges::find(tactics, said.tactic) != tactics.end()) return &variant;
    }
    return nullptr;
}

/// Why the kernel does not offer the plan's variant; "" if it does. On another machine a kernel may compute in another
/// type, or have other tactics.
std::string verifyKernel(Assignment& assignment, KernelQuery const& query, bool isFromElsewhere) {
    Offer const offer = offerWithIntegers(*assignment.kernel, query);
    if (offeredAs(assignment.variant, *assignment.kernel, offer)) return {};
    auto const similar = std::ranges::find_if(
        offer.variants, [&](Variant const& variant) { return isSameWay(variant, assignment.variant); });
    if (isFromElsewhere && similar != offer.variants.end()) {
        assignment.variant = *similar;
        return {};
    }
    return text(*assignment.node, ": kernel ", assignment.kernel->name(),
                " does not support the labels of the engine file here: ", joined(assignment.variant.inputs), " -> ",
                joined(assignment.variant.outputs));
}

void verifyEdges(Assignment const& assignment) {
    auto const expectSame = [&](Tensor const& tensor, Label const& label) {
        if (!(tensor.label == label))
            fail(ErrorCode::InvalidPlan, *assignment.node, ": takes ", tensor.name, " as ", label,
                 "; the engine file has ", tensor.label);
    };
    Node const& node = *assignment.node;
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        if (node.inputs()[i] && !assignment.variant.packs(i))
            expectSame(*node.inputs()[i], assignment.variant.inputs[i]);
    }
    for (size_t i = 0; i < node.outputs().size(); ++i) expectSame(*node.outputs()[i], assignment.variant.outputs[i]);
}

/// Drops the types that the plan's variant does not have: queries for each may take long.
void askOnlyOf(Variant const& said, KernelQuery& query) {
    auto const isSaid = [&](DataType type) {
        auto const isIt = [&](Label const& label) { return label.type == type; };
        return std::ranges::any_of(said.inputs, isIt) || std::ranges::any_of(said.outputs, isIt);
    };
    if (std::ranges::any_of(query.floatTypes, isSaid))
        std::erase_if(query.floatTypes, [&](DataType type) { return !isSaid(type); });
}

/// The plans of the graphs inside a node.
std::string verifyInside(Plan const& plan, Assignment const& assignment, bool isFromElsewhere) {
    verifyBodies(plan, assignment);
    std::string refusal;
    for (size_t i = 0; i < assignment.bodies.size() && refusal.empty(); ++i)
        refusal = locate([&] { return text(*assignment.node); },
                         [&] { return verify(*assignment.bodies[i], isFromElsewhere); });
    return refusal;
}

std::string verifyStep(Assignment& assignment, KernelQuery query, bool isFromElsewhere) {
    query.said = &assignment.variant;
    askOnlyOf(assignment.variant, query);
    std::string refusal = verifyKernel(assignment, query, isFromElsewhere);
    if (!refusal.empty() && !isFromElsewhere) fail(ErrorCode::InvalidPlan, refusal, "; build the engine again");
    return refusal;
}

KernelQuery queryOf(Plan const& plan, ProfileShapes const& shapes, Node const& node) {
    NodeDims dims = shapes.dimsFor(node);
    return kernelQuery(node, std::move(dims.inputs), std::move(dims.outputs), plan.settings);
}

std::string verifySteps(Plan& plan, bool isFromElsewhere) {
    ProfileShapes const shapes(plan.graph, plan.profiles.front());
    for (Assignment& assignment : plan.nodes) {
        Node const& node = *assignment.node;
        verifyEdges(assignment);
        std::string refusal;
        if (!assignment.bodies.empty())
            refusal = verifyInside(plan, assignment, isFromElsewhere);
        else if (assignment.isPlugin())
            locate([&] { return text(node); }, [&] { verifyPlugin(plan, assignment, queryOf(plan, shapes, node)); });
        else
            refusal = verifyStep(assignment, queryOf(plan, shapes, node), isFromElsewhere);
        if (!refusal.empty()) return refusal;
    }
    return {};
}

} // namespace

void verifyManifest(Graph const& graph, Json const& manifest) {
    Json const found = manifestOf(graph);
    if (found == manifest) return;
    std::string which;
    for (size_t i = 0; i < std::min(found.size(), manifest.size()) && which.empty(); ++i) {
        if (found[i] != manifest[i]) which = text(" (", found[i]["node"].get<std::string>(), ')');
    }
    fail(ErrorCode::InvalidPlan, "the engine was modified: its manifest lists ", manifest.size(),
         " plugins; expected the ", found.size(), " in the engine", which);
}

void verifyKernels(Plan& plan) {
    forEachPlan(plan, [](Plan& one) {
        ProfileShapes const shapes(one.graph, one.profiles.front());
        for (Assignment& assignment : one.nodes) {
            if (assignment.kernel) verifyStep(assignment, queryOf(one, shapes, *assignment.node), false);
        }
    });
}

std::string verify(Plan& plan, bool isFromElsewhere) {
    verifyGraph(plan.graph, plan.device);
    verifyProfiles(plan);
    verifyPorts(plan);
    verifyBatch(plan);
    verifyOrder(plan);
    return verifySteps(plan, isFromElsewhere);
}

} // namespace tenon
