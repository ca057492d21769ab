// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/builder/place_networks.h"

#include "base/error.h"
#include "graph/body.h"
#include "layers/constant/constant.h"
#include "passes/outline_control.h"
#include "plugin/call_scope.h"
#include "plugin/plugin_layer.h"
#include "trt/builder/real_tensors.h"
#include "trt/plugin/plugin_networks.h"

#include <algorithm>

namespace tenon::trt {
namespace {

constexpr int kMostPluginsDeep = 8; // nested networks

AddPluginLayers adderOf(Node const& node) {
    auto const* const layer = as<PluginLayer>(*node.layer);
    return layer ? networkOf(layer->plugin().userObject()) : nullptr;
}

/// Whether an engine may contain something else instead of this node.
bool isAsked(Node const& node) { return adderOf(node) || namesReals(node); }

/// The network of one plugin, during its construction.
class PluginNetwork {
public:
    PluginNetwork(Network const& around, Node const& node) : node_(node), network_(around.another()) {
        for (Tensor* input : node.inputs()) inputs_.push_back(input ? network_->faceOf(addInput(*input)) : nullptr);
    }

    /// False if the plugin computes itself.
    bool add(AddPluginLayers addLayers) {
        Plugin const& plugin = as<PluginLayer>(*node_.layer)->plugin();
        std::vector<ITensor*> outputs(node_.outputs().size());
        auto const expected = static_cast<int32_t>(outputs.size());
        CallScope const scope(node_.name, plugin.name(), "addLayers");
        int32_t const added = addLayers(plugin.userObject(), network_.get(), inputs_.data(),
                                        static_cast<int32_t>(inputs_.size()), outputs.data(), expected);
        if (added == 0) return false;
        if (added < 0) fail(ErrorCode::InvalidModel, "it could not add its layers; its error is logged above");
        if (network_->reporter().errors() > 0)
            fail(ErrorCode::InvalidModel,
                 "a call to its network failed while it added its layers; the error is logged above");
        if (added != expected)
            fail(ErrorCode::InvalidModel, "it returned ", added, " tensors for its ", expected, " outputs");
        if (!graph().outputs().empty() || graph().inputs().size() != reads_.size())
            fail(ErrorCode::InvalidModel, "it added inputs or marked outputs; expected layers only, between the given "
                                          "inputs and the returned outputs");
        for (int32_t i = 0; i < expected; ++i) mark(i, outputs[static_cast<size_t>(i)]);
        network_->complete();
        outlineControl(graph()); // loops are numbered in each network
        for (int32_t i = 0; i < expected; ++i)
            expectAlike(i, *graph().outputs()[static_cast<size_t>(i)], *node_.output(i));
        return true;
    }

    Graph& graph() { return network_->graph(); }
    /// The node's inputs that the graph has.
    std::vector<Tensor*> const& reads() const { return reads_; }

private:
    /// The known elements of an input are known inside too.
    Tensor* addInput(Tensor& input) {
        if (Literal const* const literal = input.literal()) return graph().emit(Constant(*literal), {}, input.name);
        reads_.push_back(&input);
        Tensor* const made = graph().addInput(input.name, input.type, input.shape);
        made->values = input.values;
        return made;
    }

    void mark(int32_t index, ITensor* given) {
        if (given == nullptr)
            fail(ErrorCode::InvalidModel, "the tensor that it returned for output ", index, " is null");
        Tensor* tensor = &network_->tensorOf(*given);
        network_->refresh(tensor);
        bool const isNamedTwice = graph().isOutput(tensor) || tensor->producer() == nullptr;
        if (isNamedTwice) tensor = graph().add(makeLayer("Identity"), {tensor})->output();
        graph().markOutput(tensor);
    }

    static void expectAlike(int32_t index, Tensor const& found, Tensor const& expected) {
        bool const isAlike = std::ranges::equal(found.shape, expected.shape, [](DimExpr const& a, DimExpr const& b) {
            return !a.isConstant() || !b.isConstant() || a == b;
        });
        if (found.type != expected.type || !isAlike)
            fail(ErrorCode::InvalidModel, "its layers produce output ", index, " as ", found.type, ' ', found.shape,
                 "; as a plugin it reports ", expected.type, ' ', expected.shape);
    }

    Node const& node_;
    std::unique_ptr<Network> network_;
    std::vector<ITensor*> inputs_;
    std::vector<Tensor*> reads_;
};

/// Inserts networks into a graph and the graphs inside its layers.
class Placing {
public:
    explicit Placing(Network const& around) : around_(around) {}

    bool placeIn(Graph& graph, int depth = 0) {
        bool hasAny = false;
        for (Node* node : graph.order()) {
            if (placeInBodies(*node, depth)) hasAny = true;
            if (isAsked(*node) && placeFor(graph, node, depth)) hasAny = true;
        }
        if (hasAny) graph.infer();
        return hasAny;
    }

private:
    bool placeInBodies(Node const& node, int depth) {
        auto const bodies = node.layer->bodies();
        if (!anyInside(node, isAsked)) return false;
        bool hasAny = false;
        auto const inputs = node.layer->bodyInputs(operandsOf(node));
        for (size_t i = 0; i < bodies.size(); ++i) {
            inferBody(*bodies[i], inputsOfAllRuns(inputs[i], text(node.name, ".body", i)));
            if (placeIn(*bodies[i], depth)) hasAny = true;
        }
        return hasAny;
    }

    bool placeFor(Graph& graph, Node* node, int depth) {
        return locate([&] { return text(node->name, ": ", as<PluginLayer>(*node->layer)->name()); },
                      [&] {
                          bool const isChanged = restoreReals(graph, *node);
                          AddPluginLayers const addLayers = adderOf(*node);
                          return (addLayers && placeNetwork(graph, node, addLayers, depth)) || isChanged;
                      });
    }

    bool placeNetwork(Graph& graph, Node* node, AddPluginLayers addLayers, int depth) {
        if (depth == kMostPluginsDeep)
            fail(ErrorCode::InvalidModel, "plugins that are networks are nested more than ", kMostPluginsDeep, " deep");
        PluginNetwork network(around_, *node);
        if (!network.add(addLayers)) return false;
        placeIn(network.graph(), depth + 1);
        put(graph, node, network);
        return true;
    }

    static void put(Graph& graph, Node* node, PluginNetwork& network) {
        askNoIntegers(*node);
        std::vector<Node*> added;
        auto const outputs = addNodes(graph, network.graph(), network.reads(), added);
        std::string const& plugin = as<PluginLayer>(*node->layer)->name().name;
        for (Node* one : added) {
            one->name = text(node->name, " (", plugin, ")/", one->name);
            if (!one->isFirm && hasFloats(*one)) one->askedType = node->askedType;
        }
        replaceNode(graph, node, outputs, added);
    }

    /// Its tensors may be stored in INT8; its layers compute in floating point.
    static void askNoIntegers(Node& node) {
        if (node.askedType == DataType::Int8) node.askedType.reset();
        for (Tensor* output : node.outputs()) {
            if (output->askedType == DataType::Int8) output->askedType.reset();
        }
    }

    static bool hasFloats(Node const& node) {
        return std::ranges::any_of(node.outputs(), [](Tensor const* output) { return isFloat(output->type); });
    }

    Network const& around_;
};

} // namespace

std::optional<Graph> placeNetworks(Network const& network) {
    bool hasAny = false;
    forEachNode(network.graph(), [&](Node const& node) { hasAny = hasAny || isAsked(node); });
    if (!hasAny) return std::nullopt;
    Graph graph = network.graph();
    if (!Placing(network).placeIn(graph)) return std::nullopt;
    return graph;
}

} // namespace tenon::trt
