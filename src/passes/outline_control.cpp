// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/outline_control.h"

#include "base/error.h"
#include "graph/cycle.h"
#include "graph/evaluate.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "passes/control_group.h"
#include "passes/outline_loop.h"
#include "passes/remove_dead.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace tenon {
namespace {

using Role = ControlEdge::Role;

/// Replaces groups by layers, in one graph.
class Outliner {
public:
    explicit Outliner(Graph& graph) : graph_(graph) {
        for (auto const& node : graph.nodes()) {
            if (auto const* edge = as<ControlEdge>(*node->layer))
                groups_[edge->group].edges[edge->role].push_back(node.get());
        }
    }

    /// Inner ones before those that contain them.
    void run() {
        removeUnread(graph_); // a counter without readers in the body would seem to be outside
        expectNoCycle();
        while (!groups_.empty()) {
            auto const next = std::ranges::find_if(groups_, [&](auto const& one) { return isInnermost(one.second); });
            if (next == groups_.end())
                fail(ErrorCode::InvalidModel, *anEdge(groups_.begin()->second),
                     ": loops and conditionals overlap; expected each to be nested entirely in another one, or to be "
                     "outside it");
            ControlGroup const group = next->second;
            groups_.erase(next);
            order_ = graph_.order();
            if (group.isLoop())
                outlineLoop(graph_, order_, group);
            else
                outlineConditional(group);
        }
    }

private:
    /// Until they are outlined, outputs of a loop or conditional do not depend on the condition and count. A helper
    /// node per group, which depends on all inputs of its edges and on which all outputs depend, adds these
    /// dependencies.
    void expectNoCycle() const {
        std::vector<Node*> const nodes = graph_.order();
        std::unordered_map<Node const*, size_t> numberOf;
        for (Node const* node : nodes) numberOf.emplace(node, numberOf.size());
        std::map<int64_t, size_t> numberOfGroup;
        std::vector<ControlGroup const*> groups;
        for (auto const& [number, group] : groups_) {
            numberOfGroup[number] = nodes.size() + groups.size();
            groups.push_back(&group);
        }
        auto const dependenciesOf = [&](size_t i) -> std::vector<size_t> {
            if (i < nodes.size() && leaves(*nodes[i]))
                return {numberOfGroup.at(as<ControlEdge>(*nodes[i]->layer)->group)};
            std::vector<size_t> numbers;
            for (Node const* node : i < nodes.size() ? producersOf(*nodes[i]) : decidersOf(*groups[i - nodes.size()]))
                numbers.push_back(numberOf.at(node));
            return numbers;
        };
        auto const cycle = findCycle(nodes.size() + groups.size(), dependenciesOf);
        if (cycle.empty()) return;
        fail(ErrorCode::InvalidModel, "the network has a cycle through: ", cycleText(cycle, [&](size_t i) {
                 return i < nodes.size() ? nodes[i]->name : nameOf(*groups[i - nodes.size()]);
             }));
    }

    /// An edge out of its group.
    static bool leaves(Node const& node) {
        auto const* const edge = as<ControlEdge>(*node.layer);
        return edge &&
               (edge->role == Role::LastValue || edge->role == Role::Gathered || edge->role == Role::BranchOutput);
    }

    static std::vector<Node const*> producersOf(Node const& node) {
        std::vector<Node const*> producers;
        for (Tensor const* input : node.inputs()) {
            if (input && input->producer()) producers.push_back(input->producer());
        }
        return producers;
    }

    static std::vector<Node const*> decidersOf(ControlGroup const& group) {
        std::vector<Node const*> deciders;
        for (auto const& [role, edges] : group.edges) {
            for (Node const* edge : edges) {
                if (!leaves(*edge)) deciders.push_back(edge);
                if (!leaves(*edge)) continue;
                auto const producers = producersOf(*edge);
                deciders.insert(deciders.end(), producers.begin(), producers.end());
            }
        }
        return deciders;
    }

    static bool isInnermost(ControlGroup const& group) {
        GroupInterior const inside = interiorOf(group);
        return std::ranges::none_of(inside.nodes(),
                                    [](Node const* node) { return node->kind() == ControlEdge::kKind; });
    }

    void outlineConditional(ControlGroup const& group) {
        Node const* const condition = group.one(Role::Condition);
        if (!condition)
            fail(ErrorCode::InvalidModel, *anEdge(group), ": its conditional has no condition; call setCondition()");
        if (group.of(Role::BranchOutput).empty())
            fail(ErrorCode::InvalidModel, *condition, ": its conditional has no output; call addOutput()");
        GroupInterior const inside = interiorOf(group);
        std::vector<Tensor*> inputs{condition->input(0)};
        auto const known = knownNumber(*condition->input(0));
        if (known)
            inputs = {graph_.emit(Constant(Literal::scalar(*known != 0)), {}, text(nameOf(group), " condition"))};
        Graph thens = known == 0 ? Graph() : branch(group, 0, inputs); // one that never runs is left out
        Graph elses = known.value_or(0) != 0 ? Graph() : branch(group, 1, inputs);
        Conditional layer = Conditional::of(std::move(thens), std::move(elses));
        Node* const made =
            graph_.add(std::make_unique<Conditional>(std::move(layer)), std::move(inputs), nameOf(group));
        auto const& outputs = group.of(Role::BranchOutput);
        for (size_t i = 0; i < outputs.size(); ++i)
            replaceTensor(graph_, outputs[i]->output(), made->output(static_cast<int>(i)));
        removeEdges(graph_, order_, group, inside.nodes());
    }

    Graph branch(ControlGroup const& group, int which, std::vector<Tensor*>& inputs) const {
        auto const gives = group.inputsOf({Role::BranchOutput}, which);
        GroupInterior const part(group.of(Role::BranchInput), gives);
        SubgraphCopy body(order_, part.nodes());
        for (Node const* input : group.of(Role::BranchInput))
            body.standAtEdge(input->output(), body.capture(input->input(0)));
        body.addNodes();
        for (Tensor* tensor : gives) body.give(body.capture(tensor));
        inputs.insert(inputs.end(), body.captures.begin(), body.captures.end());
        return std::move(body.graph);
    }

    Graph& graph_;
    std::map<int64_t, ControlGroup> groups_;
    std::vector<Node*> order_;
};

} // namespace

void outlineControl(Graph& graph) { Outliner(graph).run(); }

} // namespace tenon
