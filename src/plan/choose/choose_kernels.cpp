// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "plan/choose/choose_kernels.h"

#include "backends/empty_tensors.h"
#include "base/error.h"
#include "graph/body.h"
#include "layers/constant/constant.h"
#include "layers/reformat/reformat.h"
#include "plan/choose/collect_candidates.h"
#include "plan/choose/workspace_limit.h"
#include "plan/kernels/engine_step.h"
#include "plan/time/time_plugins.h"
#include "plugin/plugin_layer.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace tenon {
namespace {

/// Puts reformats on edges; one serves all readers of a tensor that want the same label.
class EdgeFitter {
public:
    EdgeFitter(Plan& plan, LabelChoice const& choice) : plan_(plan), choice_(choice) {
        for (auto const& node : plan.graph.nodes()) numbers_.emplace(node.get(), static_cast<int64_t>(numbers_.size()));
    }

    void fit() {
        for (auto const& [tensor, label] : choice_.labels) tensor->label = label;
        for (Assignment const* assignment : choice_.nodes) fitInputs(*assignment->node, assignment->variant);
        for (auto const& [output, label] : choice_.outputs) {
            if (output->label != label) plan_.graph.replaceOutput(output, inLabel(output, label));
        }
    }

private:
    void fitInputs(Node& node, Variant const& variant) {
        for (size_t i = 0; i < node.inputs().size(); ++i) {
            Tensor* tensor = node.inputs()[i];
            if (tensor == nullptr || variant.packs(i) || tensor->label == variant.inputs[i]) continue;
            plan_.graph.setInput(&node, static_cast<int>(i), inLabel(tensor, variant.inputs[i]));
        }
    }

    Tensor* inLabel(Tensor* tensor, Label const& label) {
        for (Tensor* const made : made_[tensor]) {
            if (made->label == label) return made;
        }
        if (!tensor->literal() && tensor->label.device != label.device &&
            !sameBytes(tensor->label, label, tensor->shape))
            return inLabel(inLabel(tensor, between(tensor->label, label)), label);
        std::unique_ptr<Layer> layer = std::make_unique<Reformat>();
        std::vector<Tensor*> inputs{tensor};
        if (tensor->literal()) { // reformatted once, when the engine is loaded
            layer = copyOf(*tensor);
            inputs.clear();
        }
        Node* node = plan_.graph.add(std::move(layer), std::move(inputs), text(tensor->name, " as ", label));
        node->output()->label = label;
        node->output()->quantum = tensor->quantum; // its readers are queried again when the plan is read
        made_[tensor].push_back(node->output());
        return node->output();
    }

    std::unique_ptr<Layer> copyOf(Tensor const& constant) const {
        auto copy = std::make_unique<Constant>(*constant.literal());
        copy->copyOf = numbers_.at(constant.producer());
        return copy;
    }

    /// Between devices bytes are copied unchanged; the rest is done on the device that is not the host, if possible.
    Label between(Label const& from, Label const& to) const {
        bool const onHost = backendOf(plan_.device).kernelsFor(Reformat::kKind).empty();
        bool const before = (to.device == Device::Cpu) != onHost; // the copy comes after the rest
        Label label = before ? to : from;
        label.device = before ? from.device : to.device;
        return label;
    }

    Plan& plan_;
    LabelChoice const& choice_;
    std::unordered_map<Tensor const*, std::vector<Tensor*>> made_;
    std::unordered_map<Node const*, int64_t> numbers_; // of the nodes of the original graph
};

Assignment reformatKernel(Node* node, ProfileShapes const& shapes) {
    NodeDims const dims = shapes.dimsFor(*node);
    KernelQuery const query{*node, dims.inputs, dims.outputs};
    Assignment best{node, nullptr, {}, nullptr};
    Device const from = node->input(0)->label.device;
    for (Kernel const* kernel : kernelsOf(from == Device::Cpu ? node->output()->label.device : from, Reformat::kKind)) {
        for (Variant const& variant : offerOf(*kernel, query).variants) {
            bool const fits = variant.inputs[0] == node->input(0)->label && variant.outputs[0] == node->output()->label;
            if (fits && (!best.kernel || variant.cost < best.variant.cost)) best = {node, kernel, variant, nullptr};
        }
    }
    if (!best.kernel)
        fail(ErrorCode::Unsupported, *node, ": no kernel converts ", node->input(0)->label, " to ",
             node->output()->label);
    return best;
}

/// In an engine for another device: nodes that run on the CPU, with copies around them.
void noteHostSteps(Plan& plan) {
    if (plan.device == Device::Cpu) return;
    for (Assignment const& assignment : plan.nodes) {
        if (isOnHost(assignment.variant))
            plan.notes.push_back(text(*assignment.node, ": runs on the CPU; its inputs and outputs are copied"));
    }
}

void noteReformats(Plan& plan) {
    for (Assignment const& assignment : plan.nodes) {
        if (assignment.node->kind() != Reformat::kKind) continue;
        for (Node const* reader : assignment.node->output()->readers()) {
            if (reader->kind() == PluginLayer::kKind)
                plan.notes.push_back(text(*reader, ": reads ", assignment.node->input(0)->name, " as ",
                                          assignment.node->output()->label, "; a reformat was added"));
        }
    }
}

/// If lower precision was allowed: the number of nodes that use it, and their compute types.
void noteTypes(Plan& plan, BuildConfig const& config) {
    if (!config.settings.precision.float16 && !config.settings.precision.bfloat16 && !config.settings.precision.int8)
        return;
    std::map<DataType, int> kept;
    std::map<DataType, int> computed;
    for (Assignment const& assignment : plan.nodes) {
        if (assignment.node->kind() == Reformat::kKind || !assignment.kernel) continue;
        for (Label const& label : assignment.variant.outputs) ++kept[label.type];
        ++computed[assignment.variant.compute];
    }
    std::string types;
    for (auto const& [type, count] : kept) types += text(types.empty() ? "" : ", ", count, " in ", type);
    std::string sums;
    for (auto const& [type, count] : computed) sums += text(sums.empty() ? "" : ", ", count, " in ", type);
    plan.notes.push_back(text("lower precision was allowed; results are kept: ", types, "; nodes compute: ", sums));
}

bool isPlugin(Node const& node) { return node.kind() == PluginLayer::kKind; }

/// The host computes in the types that tensors have.
bool isAskedOtherThanFloat32(Node const& node) {
    auto const isOther = [](std::optional<DataType> type) {
        return type.value_or(DataType::Float32) != DataType::Float32;
    };
    return isOther(node.askedType) ||
           std::ranges::any_of(node.outputs(), isOther, [](Tensor const* output) { return output->askedType; });
}

/// Refusals of plans for inner graphs are logged: the layer's reference is much slower.
BodyPlansOf planBodies(Plan& plan, BuildConfig const& config, BuildInside const& build) {
    BodyPlansOf all;
    for (auto const& node : plan.graph.nodes()) {
        if (!isEngineStep(*node) || node->layer->bodies().empty()) continue;
        BodyPlans& plans = all[node.get()] = tenon::planBodies(plan, *node, config, build);
        if (!plans.plans.empty()) continue;
        if (anyInside(*node, isPlugin)) // those have no reference
            fail(ErrorCode::Unsupported, *node, ": a graph inside it cannot run alone: ", plans.refusal);
        if (config.settings.precision.asked == AskedTypes::Obeyed && anyInside(*node, isAskedOtherThanFloat32))
            fail(ErrorCode::Unsupported, *node,
                 ": a type requested of a layer inside it is not available: ", plans.refusal);
        plan.notes.push_back(text(*node, ": runs node by node on the CPU, without kernels: ", plans.refusal));
    }
    return all;
}

/// Restricts the choices of each node to those that an application selects; it is queried once.
class Selection {
public:
    Selection(Plan const& plan, WaySelector* selector, WorkspaceLimit const& limit)
        : plan_(plan), selector_(selector), limit_(limit) {}

    void narrow(std::vector<Candidates>& all) {
        for (Candidates& candidates : all) {
            bool const isInside = !candidates.choices.front().bodies.empty();
            if (selector_ && !isInside) narrow(candidates);
        }
    }

    /// Of the kernels that were chosen.
    SelectedTactics tactics(LabelChoice const& choice) const {
        SelectedTactics all;
        for (Assignment const* chosen : choice.nodes) {
            auto const found = selected_.find(chosen->node);
            if (found == selected_.end()) continue;
            for (Assignment const& one : found->second) {
                if (isWayOf(one, *chosen)) all[chosen->node].push_back(one.variant.tactic);
            }
        }
        return all;
    }

private:
    /// The same but for the tactic.
    static bool isWayOf(Assignment one, Assignment const& other) {
        one.variant.tactic = other.variant.tactic;
        return isSameWay(one, other);
    }

    /// An application selects among all tactics. Otherwise only the most promising one is considered until kernels are
    /// timed.
    void addTactics(Candidates& candidates) const {
        std::vector<Assignment> all;
        for (Assignment const& choice : candidates.choices) {
            all.push_back(choice);
            if (!choice.kernel) continue;
            for (int64_t const tactic : choice.kernel->tactics(choice.variant)) {
                if (tactic == choice.variant.tactic) continue;
                Assignment& other = all.emplace_back(choice);
                other.variant.tactic = tactic;
                if (!limit_.refusal(other).empty()) all.pop_back();
            }
        }
        candidates.choices = std::move(all);
    }

    void narrow(Candidates& candidates) {
        addTactics(candidates);
        auto const [place, isNew] = selected_.try_emplace(candidates.node);
        if (isNew) {
            for (size_t const i : selector_->select(plan_, candidates)) place->second.push_back(candidates.choices[i]);
        }
        auto const& wanted = place->second;
        if (wanted.empty()) return;
        std::erase_if(candidates.choices, [&](Assignment const& choice) {
            return std::ranges::none_of(wanted, [&](Assignment const& one) { return isSameWay(one, choice); });
        });
        if (candidates.choices.empty())
            fail(ErrorCode::InvalidArgument, *candidates.node,
                 ": each of the selected algorithms requires more workspace than the build allows");
    }

    Plan const& plan_;
    WaySelector* selector_;
    WorkspaceLimit const& limit_;
    std::unordered_map<Node const*, std::vector<Assignment>> selected_;
};

} // namespace

void rewriteBodies(Plan& plan, BuildConfig const& config, BuildInside const& build) {
    for (auto& [node, bodies] : planBodies(plan, config, build)) {
        if (!bodies.plans.empty())
            plan.nodes.push_back({const_cast<Node*>(node), nullptr, {}, nullptr, {}, bodies.plans});
    }
}

SelectedTactics chooseKernels(Plan& plan, BuildConfig const& config, Timer& timer, BuildInside const& build) {
    BegunPlugins plugins(plan);
    WorkspaceLimit limit(plan, config, plugins);
    Selection selection(plan, config.selector, limit);
    PluginTimer times(plan, timer, limit.bytes());
    std::vector<Candidates> candidates;
    LabelChoice choice;
    BodyPlansOf const bodies = planBodies(plan, config, build);
    do {
        candidates = collectCandidates(plan, config, limit, bodies);
        if (config.tuning.enabled) times.time(candidates);
        selection.narrow(candidates);
        choice = chooseLabels(plan, candidates, config);
    } while (limit.refuses(candidates, choice));
    if (!times.note().empty()) plan.notes.push_back(times.note());
    plugins.settle();
    EdgeFitter(plan, choice).fit();

    ProfileShapes const shapes(plan.graph, plan.profiles.front());
    std::unordered_map<Node const*, size_t> chosen;
    for (size_t i = 0; i < candidates.size(); ++i) chosen[candidates[i].node] = i;
    for (Node* node : shapes.program().nodes()) {
        if (auto const found = chosen.find(node); found != chosen.end()) {
            plan.nodes.push_back(*choice.nodes[found->second]);
            plan.nodes.back().weighed = std::move(candidates[found->second].weighed);
        } else if (isEngineStep(*node)) {
            plan.nodes.push_back(reformatKernel(node, shapes));
        }
    }
    noteReformats(plan);
    noteHostSteps(plan);
    noteTypes(plan, config);
    return selection.tactics(choice);
}

} // namespace tenon
