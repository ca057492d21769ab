// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/refit.h"

#include "base/error.h"
#include "graph/body.h"
#include "layers/constant/constant.h"
#include "layers/reformat/reformat.h"
#include "plan/build.h"
#include "plan/file/verify.h"
#include "plan/kernels/pack_weights.h"
#include "plugin/plugin_layer.h"

#include <set>
#include <unordered_map>

namespace tenon {
namespace {

void putValue(Constant& constant, Literal const& value) {
    Literal const& old = constant.value;
    if (value.type() != old.type() || value.dims().volume() != old.dims().volume())
        fail(ErrorCode::InvalidArgument, "weights ", constant.weights, " are ", old.type(), ", ", old.dims().volume(),
             " elements; the new ones are ", value.type(), ", ", value.dims().volume(), " elements");
    constant.value = Literal::copyOf(old.type(), old.dims(), value.data());
}

void expectAllFound(auto const& given, std::set<std::string> const& found, std::string_view what) {
    for (auto const& [name, value] : given) {
        if (!found.contains(name)) fail(ErrorCode::InvalidArgument, "the engine has no ", what, ' ', name);
    }
}

/// The network of the plan with the new values.
Graph refitted(Plan const& plan, Refit const& refit) {
    Graph network = plan.network();
    std::set<std::string> found;
    forEachNode(network, [&](Node& node) {
        auto* const constant = as<Constant>(*node.layer);
        auto const value = constant ? refit.weights.find(constant->weights) : refit.weights.end();
        if (value == refit.weights.end()) return;
        putValue(*constant, value->second);
        found.insert(value->first);
    });
    expectAllFound(refit.weights, found, "refittable weights called");
    for (RefitWeights const& weights : refitWeights(network)) {
        if (weights.value.isAbsent())
            fail(ErrorCode::InvalidState, "weights ", weights.name,
                 " are not in the engine and have not been refitted; getMissingWeights lists all of these");
    }
    found.clear();
    for (auto const& tensor : network.tensors()) {
        auto const scale = refit.scales.find(tensor->name);
        if (scale == refit.scales.end() || tensor->quantum.scale == 0) continue;
        tensor->quantum.scale = scale->second;
        found.insert(tensor->name);
    }
    expectAllFound(refit.scales, found, "tensor with a range called");
    return network;
}

/// Plugins with fixed shapes are queried again when shapes are inferred: those of the plan answer.
void lendPlugins(Graph const& network, Plan const& plan) {
    std::map<std::string, PluginLayer const*> byName;
    forEachPlan(plan, [&](Plan const& one) {
        for (auto const& node : one.graph.nodes()) {
            if (auto const* layer = as<PluginLayer>(*node->layer)) byName[node->name] = layer;
        }
    });
    forEachNode(network, [&](Node& node) {
        auto* const layer = as<PluginLayer>(*node.layer);
        auto const found = layer ? byName.find(node.name) : byName.end();
        if (found != byName.end() && !layer->hasPlugin()) layer->share(*found->second);
    });
}

Plan rewritten(Graph network, Plan const& plan, Log const& log) {
    lendPlugins(network, plan);
    BuildConfig config = configOf(plan);
    config.keepNetwork = false;
    config.choosesKernels = false;
    config.log = log;
    return build(network, config);
}

/// The exchanges of a refit in a plan; a second exchange undoes them.
class Exchange {
public:
    /// Pairs the nodes of a plan with those of its network, rewritten again, and finds differences.
    Exchange(Plan& plan, Plan const& fresh) : plan_(plan), fresh_(fresh) {
        pairNodes();
        pairBodies();
    }

    void perform() {
        for (auto& [node, layer] : layers_) std::swap(node->layer, layer);
        for (auto& [tensor, quantum] : quanta_) std::swap(tensor->quantum, quantum);
        if (!quanta_.empty()) relabel();
        for (Exchange& body : bodies_) body.perform();
    }

    /// Packs weights again whose constants were exchanged.
    void pack() {
        std::vector<Assignment*> stale;
        for (Assignment& assignment : plan_.nodes) {
            bool const isStale = !assignment.packed || reads(changed_, *assignment.node);
            if (!assignment.variant.isPacked() || !isStale) continue;
            packed_.emplace_back(&assignment, std::move(assignment.packed));
            assignment.packed = nullptr;
            stale.push_back(&assignment);
        }
        packWeights(plan_, stale);
        for (Exchange& body : bodies_) body.pack();
    }

    void undo() {
        for (auto& [assignment, packed] : packed_) assignment->packed = packed;
        for (Exchange& body : bodies_) body.undo();
    }

private:
    template <class Where> [[noreturn]] static void differs(Where const& where, std::string const& how) {
        fail(ErrorCode::Unsupported, where, ": with these weights ", how,
             "; single numbers affect kernel selection unless they are marked (markWeightsRefittable, "
             "BuilderFlag::kREFIT_INDIVIDUAL); build the engine again");
    }

    void pairNodes() {
        auto const& nodes = plan_.graph.nodes();
        auto const& freshNodes = fresh_.graph.nodes();
        expectSameCount("inputs", plan_.graph.inputs().size(), fresh_.graph.inputs().size());
        expectSameCount("outputs", plan_.graph.outputs().size(), fresh_.graph.outputs().size());
        for (size_t i = 0; i < plan_.graph.inputs().size(); ++i)
            pairTensors(text("input ", plan_.graph.inputs()[i]->name), *plan_.graph.inputs()[i],
                        *fresh_.graph.inputs()[i]);
        for (size_t i = 0; i < freshNodes.size(); ++i) {
            if (i >= nodes.size()) differs(*freshNodes[i], "there is a new node");
            pairOutputs(*nodes[i], *freshNodes[i]);
        }
        for (size_t i = freshNodes.size(); i < nodes.size(); ++i) pairAdded(*nodes[i]);
        for (size_t i = 0; i < freshNodes.size(); ++i) pairLayers(*nodes[i], *freshNodes[i]);
        for (size_t i = 0; i < plan_.graph.outputs().size(); ++i) {
            if (twin(fresh_.graph.outputs()[i]) != source(plan_.graph.outputs()[i]))
                differs(text("output ", plan_.graph.outputs()[i]->name), "it is a different tensor");
        }
    }

    static void expectSameCount(std::string_view what, size_t planned, size_t fresh) {
        if (planned != fresh)
            fail(ErrorCode::InvalidPlan, "the engine has ", planned, ' ', what, ", and the network in it has ", fresh);
    }

    /// The tensor of the plan; null for null.
    Tensor const* twin(Tensor const* fresh) const {
        auto const found = twins_.find(fresh);
        return found == twins_.end() ? nullptr : found->second;
    }

    void pairOutputs(Node const& node, Node const& fresh) {
        bool const isSameKind = node.kind() == fresh.kind() || (node.layer->constant() && fresh.layer->constant());
        if (!isSameKind || node.outputs().size() != fresh.outputs().size())
            differs(node, text("there is ", fresh, " instead"));
        for (size_t i = 0; i < node.outputs().size(); ++i)
            pairTensors(text(node, ", output ", i), *node.outputs()[i], *fresh.outputs()[i]);
    }

    static std::string described(Quantum const& quantum) {
        if (quantum.scale == 0) return "not quantized";
        return text("quantized with scale ", quantum.scale, " and zero point ", quantum.zero);
    }

    void pairTensors(std::string const& where, Tensor& tensor, Tensor const& now) {
        if (tensor.type != now.type || !(tensor.shape == now.shape))
            differs(where, text("it is ", now.type, ' ', now.shape, ", not ", tensor.type, ' ', tensor.shape));
        twins_[&now] = &tensor;
        Quantum const& was = tensor.quantum;
        if (was.scale == now.quantum.scale && was.zero == now.quantum.zero) return;
        if ((was.scale == 0) != (now.quantum.scale == 0) || was.zero != now.quantum.zero)
            differs(where, text("it is ", described(now.quantum), "; it was ", described(was)));
        quanta_.emplace_back(&tensor, now.quantum);
    }

    /// Nodes inserted on edges when labels were chosen: reformats, and constants in the label of a reader.
    void pairAdded(Node& node) {
        if (node.kind() == Reformat::kKind) return;
        auto const& nodes = plan_.graph.nodes();
        auto const* const copy = as<Constant>(*node.layer);
        bool const isKnown = copy && copy->copyOf >= 0 && copy->copyOf < std::ssize(nodes);
        Node const* const original = isKnown ? nodes[static_cast<size_t>(copy->copyOf)].get() : nullptr;
        if (!original || original == &node || !original->layer->constant()) differs(node, "it is missing");
        copies_.emplace_back(&node, original);
    }

    /// The tensor of which this one is a copy in another label.
    Tensor const* source(Tensor const* tensor) const {
        while (tensor && tensor->producer() && tensor->producer()->kind() == Reformat::kKind)
            tensor = tensor->producer()->input(0);
        for (auto const& [copy, original] : copies_) {
            if (tensor && tensor->producer() == copy) return original->output();
        }
        return tensor;
    }

    void pairLayers(Node& node, Node const& fresh) {
        for (size_t i = 0; i < std::max(node.inputs().size(), fresh.inputs().size()); ++i) {
            Tensor const* const now = fresh.input(static_cast<int>(i));
            if (twin(now) != source(node.input(static_cast<int>(i))))
                differs(node, text("its input ", i, " is different"));
        }
        if (as<PluginLayer>(*node.layer) || sameFields(*node.layer, *fresh.layer)) return;
        changed_.insert(&node);
        layers_.emplace_back(&node, fresh.layer->clone());
        for (auto const& [copy, original] : copies_) {
            if (original != &node) continue;
            changed_.insert(copy);
            auto layer = std::make_unique<Constant>(*fresh.layer->constant());
            layer->copyOf = as<Constant>(*copy->layer)->copyOf;
            layers_.emplace_back(copy, std::move(layer));
        }
    }

    void pairBodies() {
        std::unordered_map<Node const*, Assignment const*> fresh;
        for (Assignment const& one : fresh_.nodes) fresh[one.node] = &one;
        for (size_t i = 0; i < fresh_.graph.nodes().size(); ++i) {
            auto const found = fresh.find(fresh_.graph.nodes()[i].get());
            Node const* const node = plan_.graph.nodes()[i].get();
            auto const assignment = std::ranges::find(plan_.nodes, node, &Assignment::node);
            if (assignment == plan_.nodes.end() || assignment->bodies.empty()) continue;
            if (found == fresh.end() || found->second->bodies.size() != assignment->bodies.size())
                differs(*node, "the graphs inside cannot run alone");
            for (size_t body = 0; body < assignment->bodies.size(); ++body)
                bodies_.emplace_back(*assignment->bodies[body], *found->second->bodies[body]);
        }
    }

    /// Labels contain the scale of int8 tensors.
    void relabel() {
        auto const fit = [](Label& label, Tensor const* tensor) {
            if (label.scale != 0) label.scale = tensor->quantum.scale;
        };
        for (auto const& node : plan_.graph.nodes()) {
            Tensor const* const original = node->outputs().empty() ? nullptr : source(node->output());
            if (original && original != node->output()) node->output()->quantum.scale = original->quantum.scale;
        }
        for (auto const& tensor : plan_.graph.tensors()) fit(tensor->label, tensor.get());
        for (Assignment& assignment : plan_.nodes) {
            Node const& node = *assignment.node;
            for (size_t i = 0; i < node.inputs().size(); ++i) fit(assignment.variant.inputs[i], node.inputs()[i]);
            for (size_t i = 0; i < node.outputs().size(); ++i) fit(assignment.variant.outputs[i], node.outputs()[i]);
        }
    }

    bool reads(std::set<Node const*> const& changed, Node const& node) const {
        auto const isChanged = [&](Tensor const* input) { return input && changed.contains(input->producer()); };
        return !quanta_.empty() || changed.contains(&node) || std::ranges::any_of(node.inputs(), isChanged);
    }

    Plan& plan_;
    Plan const& fresh_;
    std::unordered_map<Tensor const*, Tensor const*> twins_; // of the fresh graph → of the plan's
    std::vector<std::pair<Node*, Node const*>> copies_;      // of constants, and the sources of their copies
    std::set<Node const*> changed_;
    std::vector<std::pair<Node*, std::unique_ptr<Layer>>> layers_;
    std::vector<std::pair<Tensor*, Quantum>> quanta_;
    std::vector<std::pair<Assignment*, std::shared_ptr<Packed const>>> packed_; // the previous value
    std::vector<Exchange> bodies_;
};

} // namespace

std::vector<RefitWeights> refitWeights(Graph const& network) {
    std::vector<RefitWeights> all;
    std::set<std::string> seen;
    forEachNode(network, [&](Node const& node) {
        auto const* const constant = as<Constant>(*node.layer);
        if (constant && !constant->weights.empty() && seen.insert(constant->weights).second)
            all.push_back({constant->weights, constant->value});
    });
    return all;
}

void refit(Plan& plan, Refit const& values, Log const& log) {
    if (!plan.settings.refits || !plan.network)
        fail(ErrorCode::InvalidState, "the engine was built without BuilderFlag::kREFIT, so its weights are fixed");
    auto const network = std::make_shared<Graph>(refitted(plan, values));
    Plan const fresh = rewritten(*network, plan, log);
    Exchange exchange(plan, fresh);
    exchange.perform();
    try {
        verifyKernels(plan);
        exchange.pack();
    } catch (...) {
        exchange.undo();
        exchange.perform();
        throw;
    }
    plan.network = [network] { return *network; };
    forEachPlan(plan, [](Plan& one) { one.settings.isStripped = false; });
}

} // namespace tenon
