// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "base/error.h"
#include "graph/body.h"
#include "plan/file/verify.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <set>

namespace tenon {
namespace {

void verifyInput(Tensor const& input) {
    bool const counts = std::ranges::all_of(input.shape, [](DimExpr const& dim) { return dim.constantOr(0) >= 0; });
    if (!counts) fail(ErrorCode::InvalidPlan, "input ", input.name, " has shape ", input.shape);
    if (isConstant(input.shape)) bytesOf(input.type, toDims(input.shape).volume());
}

/// Sets the inferred shape. Extents that the plan gives as numbers must be the inferred ones.
void expectInferred(Node const& node, Tensor& tensor, Result&& result) {
    bool fits = tensor.type == result.type && tensor.shape.size() == result.shape.size();
    for (size_t axis = 0; fits && axis < result.shape.size(); ++axis)
        fits = !tensor.shape[axis].isConstant() || tensor.shape[axis] == result.shape[axis];
    if (!fits)
        fail(ErrorCode::InvalidPlan, node, ": gives ", tensor.name, " as ", result.type, ' ', result.shape,
             "; the engine file has ", tensor.type, ' ', tensor.shape);
    tensor.shape = std::move(result.shape);
    tensor.values = std::move(result.values);
}

/// A plugin that has not been created cannot be queried for extents that its rules leave open.
bool isOpen(Node const& node) {
    auto const* plugin = as<PluginLayer>(*node.layer);
    return plugin && !plugin->hasPlugin() && plugin->built().refits;
}

/// A plugin's inputs must be those that it was queried with.
void verifyPlugin(Node const& node) {
    auto const* plugin = as<PluginLayer>(*node.layer);
    if (!plugin) return;
    if (!plugin->takes(operandsOf(node)))
        fail(ErrorCode::InvalidPlan, node, ": its inputs differ from those that the plugin was queried with");
    if (isOpen(node) && plugin->rules().outputs.size() != node.outputs().size())
        fail(ErrorCode::InvalidPlan, node, ": has ", plugin->rules().outputs.size(), " outputs; the engine file has ",
             node.outputs().size());
}

void inferAgain(Graph& graph) {
    for (Node* node : graph.order()) {
        verifyPlugin(*node);
        if (isOpen(*node)) continue;
        auto results = locate([&] { return text(*node); }, [&] { return node->layer->infer(operandsOf(*node)); });
        if (results.size() != node->outputs().size())
            fail(ErrorCode::InvalidPlan, *node, ": has ", results.size(), " outputs; the engine file has ",
                 node->outputs().size());
        for (size_t i = 0; i < results.size(); ++i) expectInferred(*node, *node->outputs()[i], std::move(results[i]));
    }
}

bool isKnownOnHost(Tensor const* tensor) { return tensor == nullptr || tensor->onHost || tensor->literal(); }

/// Shape tensors are computed on the host, from tensors that exist.
void verifyShapeTensors(Node const& node) {
    bool const onHost = std::ranges::any_of(node.outputs(), [](Tensor const* t) { return t->onHost; });
    bool const all = std::ranges::all_of(node.outputs(), [](Tensor const* t) { return t->onHost; });
    if (onHost && (!all || node.kind() == PluginLayer::kKind))
        fail(ErrorCode::InvalidPlan, node, ": cannot compute a shape tensor; the engine file requires it");
    for (size_t i = 0; i < node.inputs().size(); ++i) {
        bool const isRead = onHost && !node.layer->readsShapeOnly(static_cast<int>(i));
        if (isRead && !isKnownOnHost(node.inputs()[i]))
            fail(ErrorCode::InvalidPlan, node, ": reads the elements of ", node.inputs()[i]->name,
                 " for shapes; expected a shape tensor");
    }
}

void verifyLabel(Tensor const& tensor, Device device) {
    bool const isPlain = tensor.label == Label{tensor.type, Format::linear(), Device::Cpu};
    bool const reaches = tensor.label.device == device || tensor.label.device == Device::Cpu;
    if (!reaches || (tensor.onHost && !isPlain))
        fail(ErrorCode::InvalidPlan, tensor.name, " is ", tensor.label, " in an engine for ", device,
             tensor.onHost ? ", and is a shape tensor" : "");
}

void verifyShapeInputs(Node const& node) {
    auto const* const plugin = as<PluginLayer>(*node.layer);
    if (!plugin) return;
    auto const count = static_cast<int64_t>(node.inputs().size());
    int64_t before = -1;
    for (int64_t const input : plugin->built().shapeInputs) {
        bool const isNext = input > before && input < count && node.input(static_cast<int>(input)) != nullptr;
        before = input;
        if (!isNext)
            fail(ErrorCode::InvalidPlan, node, ": a shape input is ", input, "; the plugin has ", count, " inputs");
    }
}

void verifyNames(Graph const& graph) {
    if (graph.outputs().empty()) fail(ErrorCode::InvalidPlan, "the engine has no output");
    std::set<std::string_view> names;
    for (Tensor const* tensor : graph.inputs()) {
        if (!names.insert(tensor->name).second)
            fail(ErrorCode::InvalidPlan, "two inputs of the engine are called ", tensor->name);
    }
    for (Tensor const* tensor : graph.outputs()) {
        if (!names.insert(tensor->name).second && tensor->producer())
            fail(ErrorCode::InvalidPlan, "two inputs or outputs of the engine are called ", tensor->name);
    }
}

} // namespace

void verifyNetwork(Graph& network) {
    for (Tensor const* input : network.inputs()) verifyInput(*input);
    for (Node* node : network.order()) { // stored shapes may be older than the application's last changes
        verifyPlugin(*node);
        if (node->kind() != PluginLayer::kKind) network.infer(node);
    }
    forEachNode(network, verifyShapeInputs);
    for (auto const& tensor : network.tensors()) {
        bool const mayBeWanted = tensor->producer() && tensor->shape.size() <= 1 && network.isOutput(tensor.get());
        tensor->onHost = tensor->onHost && mayBeWanted; // an output for shapes; the others are inferred again
        tensor->label = {tensor->type, Format::linear(), Device::Cpu};
    }
}

void verifyGraph(Graph& graph, Device device) {
    for (Tensor const* input : graph.inputs()) verifyInput(*input);
    verifyNames(graph);
    inferAgain(graph);
    forEachNode(graph, verifyShapeInputs);
    for (auto const& node : graph.nodes()) verifyShapeTensors(*node);
    for (auto const& tensor : graph.tensors()) verifyLabel(*tensor, device);
}

} // namespace tenon
