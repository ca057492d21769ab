// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "plan/choose_kernels.h"
#include "plugin/plugin_layer.h"

#include <algorithm>

namespace tenon {
namespace {

/// The shapes of a graph at the three points of its first profile.
struct ProfileShapes {
    ShapeProgram program;
    ShapeProgram::Shapes min;
    ShapeProgram::Shapes opt;
    ShapeProgram::Shapes max;

    explicit ProfileShapes(Plan const& plan)
        : program(plan.graph), min(at(plan, ProfilePoint::Min)), opt(at(plan, ProfilePoint::Opt)),
          max(at(plan, ProfilePoint::Max)) {}

    std::vector<Dims> dimsOf(std::vector<Tensor*> const& tensors, ShapeProgram::Shapes const& shapes) const {
        std::vector<Dims> dims;
        for (Tensor const* tensor : tensors)
            dims.push_back(tensor ? shapes.dims[static_cast<size_t>(program.numberOf(tensor))] : Dims());
        return dims;
    }

private:
    ShapeProgram::Shapes at(Plan const& plan, ProfilePoint point) const {
        return program.evaluate(inputsAt(plan.graph, plan.profiles.front(), point));
    }
};

std::vector<DataType> floatTypes(BuildConfig const& config) {
    std::vector<DataType> types{DataType::Float32};
    if (config.allowFloat16) types.push_back(DataType::Float16);
    if (config.allowBFloat16) types.push_back(DataType::BFloat16);
    return types;
}

/// Same labels wherever an edge ends: only the cheaper of two can be chosen.
bool sameEdges(Variant const& a, Variant const& b) {
    if (a.packed != b.packed || a.outputs != b.outputs) return false;
    for (size_t i = 0; i < a.inputs.size(); ++i) {
        if ((a.packed >> i & 1U) == 0 && a.inputs[i] != b.inputs[i]) return false;
    }
    return true;
}

void keepCheapest(std::vector<Assignment>& choices, Assignment choice) {
    auto const twin =
        std::ranges::find_if(choices, [&](Assignment const& a) { return sameEdges(a.variant, choice.variant); });
    if (twin == choices.end()) {
        choices.push_back(std::move(choice));
    } else if (choice.variant.cost < twin->variant.cost) {
        *twin = std::move(choice);
    }
}

Candidates askKernels(Node* node, KernelQuery const& query, Backend const& backend) {
    Candidates candidates{node, {}};
    std::string refusals;
    for (Kernel const* kernel : backend.kernelsFor(node->kind())) {
        Offer offer = kernel->offer(query);
        if (offer.variants.empty()) refusals += text("\n  ", kernel->name(), ": ", offer.refusal);
        for (Variant& variant : offer.variants)
            keepCheapest(candidates.choices, {node, kernel, std::move(variant), nullptr});
    }
    if (candidates.choices.empty())
        fail(ErrorCode::Unsupported, "nothing on the ", backend.device(), " computes it at ", joined(query.inputs), ":",
             refusals);
    return candidates;
}

PortRanges rangesOf(Node const& node, ProfileShapes const& shapes) {
    auto const portsOf = [&](std::vector<Tensor*> const& tensors) {
        auto const min = shapes.dimsOf(tensors, shapes.min);
        auto const opt = shapes.dimsOf(tensors, shapes.opt);
        auto const max = shapes.dimsOf(tensors, shapes.max);
        std::vector<PortRange> ports;
        for (size_t i = 0; i < tensors.size(); ++i) {
            Label const label{tensors[i] ? tensors[i]->type : DataType::Float32, {}, Device::Cpu};
            ports.push_back({tensors[i] ? tensors[i]->shape : Shape(), min[i], opt[i], max[i], label, 1});
        }
        return ports;
    };
    return {portsOf(node.inputs()), portsOf(node.outputs())};
}

/// The labels that a plugin is asked about for one tensor, the most likely first.
std::vector<Label> labelsOffered(Tensor const* tensor, KernelQuery const& query, Device device) {
    std::vector<Label> labels;
    if (tensor == nullptr) return {{DataType::Float32, {}, device}};
    for (DataType type : query.typesOf(*tensor)) {
        labels.push_back({type, Format::linear(), device});
        if (tensor->shape.size() < 3) continue;
        for (Format const& format :
             {Format::nhwc(), Format::nhwc(8), Format::blocked(4), Format::blocked(16), Format::blocked(32)})
            labels.push_back({type, format, device});
    }
    return labels;
}

Candidates askPlugin(Node* node, KernelQuery const& query, ProfileShapes const& shapes, Device device) {
    auto const plugin = as<PluginLayer>(*node->layer)->plugin().clone();
    Plugin& asked = plugin ? *plugin : as<PluginLayer>(*node->layer)->plugin();
    std::vector<std::vector<Label>> offered;
    for (Tensor const* input : node->inputs()) offered.push_back(labelsOffered(input, query, device));
    for (Tensor const* output : node->outputs()) offered.push_back(labelsOffered(output, query, device));
    std::string refusals;
    Candidates candidates{node, {}};
    for (Variant& variant : asked.variants(rangesOf(*node, shapes), offered, refusals))
        candidates.choices.push_back({node, nullptr, std::move(variant), nullptr});
    if (candidates.choices.empty())
        fail(ErrorCode::Plugin, "the plugin accepts no combination of types and formats. Asked and answered:\n",
             refusals);
    return candidates;
}

} // namespace

std::vector<Candidates> collectCandidates(Plan const& plan, BuildConfig const& config) {
    ProfileShapes const shapes(plan);
    Backend const& backend = backendOf(plan.device);
    std::vector<Candidates> all;
    for (Node* node : shapes.program.nodes()) {
        if (node->layer->constant() || (!node->outputs().empty() && node->output()->onHost)) continue;
        KernelQuery const query{*node, shapes.dimsOf(node->inputs(), shapes.opt),
                                shapes.dimsOf(node->outputs(), shapes.opt), floatTypes(config)};
        all.push_back(locate([&] { return text(*node); },
                             [&] {
                                 return node->kind() == PluginLayer::kKind ? askPlugin(node, query, shapes, plan.device)
                                                                           : askKernels(node, query, backend);
                             }));
    }
    return all;
}

} // namespace tenon
