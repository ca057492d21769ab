// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/outline_control.h"

#include "base/error.h"
#include "graph/cycle.h"
#include "graph/evaluate.h"
#include "layers/cast/cast.h"
#include "layers/conditional/conditional.h"
#include "layers/constant/constant.h"
#include "layers/control_edge/control_edge.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/identity/identity.h"
#include "layers/loop/loop.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"
#include "passes/remove_dead.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tenon {
namespace {

using Role = ControlEdge::Role;
using Nodes = std::unordered_set<Node const*>;

/// The edges of one loop or conditional.
struct Group {
    std::map<Role, std::vector<Node*>> edges;

    std::vector<Node*> const& of(Role role) const {
        static std::vector<Node*> const none;
        auto const found = edges.find(role);
        return found == edges.end() ? none : found->second;
    }
    Node* one(Role role) const { return of(role).empty() ? nullptr : of(role).front(); }
    std::vector<Tensor*> inputsOf(std::initializer_list<Role> roles, int input = 0) const {
        std::vector<Tensor*> tensors;
        for (Role const role : roles) {
            for (Node const* node : of(role)) tensors.push_back(node->input(input));
        }
        return tensors;
    }
    bool isLoop() const { return of(Role::Condition).empty() && of(Role::BranchOutput).empty(); }
};

/// The nodes that tensors depend on, and that depend on one of `entries`: those between the edges of a group.
class Between {
public:
    Between(std::vector<Node*> const& entries, std::vector<Tensor*> const& from) {
        for (Node const* entry : entries) entries_.insert(entry);
        for (Tensor* tensor : from) visit(tensor);
    }

    Nodes const& nodes() const { return inside_; }
    bool has(Tensor const* tensor) const {
        Node const* const producer = tensor ? tensor->producer() : nullptr;
        return producer && (entries_.contains(producer) || inside_.contains(producer));
    }

private:
    /// Without recursion: a chain of nodes may be as long as a network.
    void visit(Tensor* tensor) {
        std::vector<Node*> open;
        if (tensor && tensor->producer()) open.push_back(tensor->producer());
        while (!open.empty()) {
            Node* const node = open.back();
            if (known_.contains(node) || entries_.contains(node)) {
                open.pop_back();
                continue;
            }
            size_t const before = open.size();
            if (asked_.insert(node).second) {
                for (Tensor const* input : node->inputs()) {
                    if (input && input->producer()) open.push_back(input->producer());
                }
            }
            if (open.size() != before) continue;
            open.pop_back();
            known_.insert(node);
            if (std::ranges::any_of(node->inputs(), [&](Tensor const* input) { return has(input); }))
                inside_.insert(node);
        }
    }

    Nodes entries_;
    Nodes inside_;
    Nodes asked_;
    Nodes known_; // whether it is inside
};

/// A tensor like `tensor` that replaces it as a debug tensor.
Tensor* shownAs(Graph& graph, Tensor const& debug, Tensor* tensor) {
    Tensor* const shown = graph.add(makeLayer("Identity"), {tensor}, text(debug.name, " shown"))->output();
    shown->name = debug.name;
    shown->isDebug = true;
    return shown;
}

/// The copy of some nodes in a graph of their own; the tensors that they read from outside are its inputs.
class Copy {
public:
    explicit Copy(std::vector<Node*> const& order, Nodes const& nodes) : order_(order), nodes_(nodes) {}

    Graph graph;
    std::vector<Tensor*> captures;

    void stand(Tensor const* outside, Tensor* inside) { inside_[outside] = inside; }

    Tensor* capture(Tensor* tensor) {
        if (auto const found = inside_.find(tensor); found != inside_.end()) return found->second;
        if (tensor->literal()) // shape rules and kernels read constants
            return inside_[tensor] =
                       graph.add(tensor->producer()->layer->clone(), {}, tensor->producer()->name)->output();
        captures.push_back(tensor);
        return inside_[tensor] = graph.addInput(tensor->name, tensor->type, tensor->shape);
    }

    void addNodes() { addNodes(nodes_, ""); }
    void addNodes(Nodes const& nodes, std::string_view suffix) {
        for (Node const* node : order_) {
            if (!nodes.contains(node)) continue;
            std::vector<Tensor*> inputs;
            for (Tensor* input : node->inputs()) inputs.push_back(input ? capture(input) : nullptr);
            Node* const made = addCopy(graph, *node, std::move(inputs));
            made->name += suffix;
            for (size_t i = 0; i < node->outputs().size(); ++i) {
                if (!suffix.empty()) made->outputs()[i]->isDebug = false; // the first copy is the debug tensor
                stand(node->outputs()[i], made->outputs()[i]);
            }
        }
    }

    /// For the output of an edge into the group.
    void standAtEdge(Tensor const* outside, Tensor* inside) {
        stand(outside, outside->isDebug ? shownAs(graph, *outside, inside) : inside);
    }

    /// An output must not be an input, nor occur twice. Outputs and inputs lose their names, debug tensors do not.
    void give(Tensor* tensor) {
        if (tensor->producer() == nullptr || tensor->isDebug || graph.isOutput(tensor))
            tensor = graph.add(makeLayer("Identity"), {tensor})->output();
        graph.markOutput(tensor);
    }

private:
    std::vector<Node*> const& order_;
    Nodes const& nodes_;
    std::unordered_map<Tensor const*, Tensor*> inside_;
};

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
            Group const group = next->second;
            groups_.erase(next);
            order_ = graph_.order();
            if (group.isLoop())
                outlineLoop(group);
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
        std::vector<Group const*> groups;
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

    static std::vector<Node const*> decidersOf(Group const& group) {
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

    static Node* anEdge(Group const& group) { return group.edges.begin()->second.front(); }

    static Between between(Group const& group) {
        std::vector<Node*> entries;
        for (Role const role : {Role::BranchInput, Role::Recurrence, Role::Iterator})
            entries.insert(entries.end(), group.of(role).begin(), group.of(role).end());
        auto from =
            group.inputsOf({Role::BranchOutput, Role::NextValue, Role::TripCondition, Role::LastValue, Role::Gathered});
        auto const second = group.inputsOf({Role::BranchOutput}, 1);
        from.insert(from.end(), second.begin(), second.end());
        return {entries, from};
    }

    static bool isInnermost(Group const& group) {
        Between const inside = between(group);
        return std::ranges::none_of(inside.nodes(),
                                    [](Node const* node) { return node->kind() == ControlEdge::kKind; });
    }

    // ---- a loop

    void outlineLoop(Group const& group) {
        if (!group.one(Role::TripCount) && !group.one(Role::TripCondition))
            fail(ErrorCode::InvalidModel, *anEdge(group), ": its loop never ends; add a trip limit (addTripLimit)");
        Between const inside = between(group);
        Copy body(order_, inside.nodes());
        Tensor* const trip = body.graph.addInput("trip", DataType::Int64, {});
        Tensor* goesOn = body.graph.addInput("goes_on", DataType::Bool, {});
        std::vector<Tensor*> inputs{nullptr, nullptr};
        for (Node const* recurrence : group.of(Role::Recurrence)) {
            Tensor const& value = *recurrence->output();
            body.standAtEdge(&value, body.graph.addInput(value.name, value.type, value.shape));
            inputs.push_back(recurrence->input(0));
        }
        for (Node const* iterator : group.of(Role::Iterator)) addElement(body, *iterator, trip);
        body.addNodes();
        auto const next = nextValues(group, body);
        std::vector<Tensor*> gathered;
        for (Node const* edge : group.of(Role::Gathered)) gathered.push_back(body.capture(edge->input(0)));
        Node const* const condition = group.one(Role::TripCondition);
        bool const hasCondition = condition && !staysTrue(group, *condition, inside);
        if (hasCondition) {
            goesOn = conditionAfter(group, *condition, inside, body, next);
            inputs[Loop::kCondition] = conditionBefore(group, *condition, inside);
        }
        bool const isLate = isCountLate(group);
        if (isLate) {
            Tensor* const count = group.one(Role::TripCount)->input(0);
            goesOn = andFewer(body.graph, goesOn, oneMore(body.graph, trip), body.capture(count));
            inputs[Loop::kCondition] = andFewer(graph_, inputs[Loop::kCondition], none(graph_), count);
        }
        body.give(goesOn);
        for (Tensor* value : next) body.give(value);
        for (Tensor* value : gathered) body.give(value);
        Loop loop;
        loop.carried = static_cast<int64_t>(next.size());
        loop.counted = !hasCondition && !isLate;
        inputs[Loop::kTrips] = isLate ? mostGathered(group) : mostTrips(group);
        loop.body = std::move(body.graph);
        inputs.insert(inputs.end(), body.captures.begin(), body.captures.end());
        Node* const made = graph_.add(std::make_unique<Loop>(std::move(loop)), std::move(inputs), nameOf(group));
        takeOutputs(group, *made);
        removeEdges(group, inside.nodes());
    }

    static std::string const& nameOf(Group const& group) { return as<ControlEdge>(*anEdge(group)->layer)->of; }

    /// The element of an iteration. A tensor that is iterated in reverse is reversed before.
    void addElement(Copy& body, Node const& iterator, Tensor* trip) {
        auto const& edge = *as<ControlEdge>(*iterator.layer);
        Tensor* source = iterator.input(0);
        if (edge.reverse) source = reversed(source, edge.axis);
        Gather gather;
        gather.axis = edge.axis;
        Tensor* const whole = body.capture(source);
        body.standAtEdge(iterator.output(), body.graph.emit(gather, {whole, trip}, iterator.name));
    }

    Tensor* reversed(Tensor* tensor, int64_t axis) {
        Slice slice;
        slice.bounds = Slice::Bounds::End;
        slice.axes = {axis};
        slice.start = {-1};
        slice.size = {INT64_MIN};
        slice.stride = {-1};
        return graph_.emit(slice, {tensor}, text(tensor->name, " reversed"));
    }

    static std::vector<Tensor*> nextValues(Group const& group, Copy& body) {
        std::vector<Tensor*> next(group.of(Role::Recurrence).size(), nullptr);
        for (Node const* edge : group.of(Role::NextValue)) {
            auto const index = static_cast<size_t>(as<ControlEdge>(*edge->layer)->index);
            if (index < next.size()) next[index] = body.capture(edge->input(0));
        }
        for (size_t i = 0; i < next.size(); ++i) {
            if (!next[i])
                fail(ErrorCode::InvalidModel, *group.of(Role::Recurrence)[i],
                     ": its second input, the value in the next iteration, is missing; call setInput(1, ...)");
        }
        return next;
    }

    /// Whether a loop with a count runs all its iterations: its condition is true, and passed on unchanged.
    static bool staysTrue(Group const& group, Node const& condition, Between const& inside) {
        if (!group.one(Role::TripCount)) return false;
        auto const isTrue = [](Tensor const& tensor) { return knownNumber(tensor).value_or(0) != 0; };
        Tensor const* const tensor = copiedFrom(condition.input(0));
        if (!inside.has(tensor)) return isTrue(*tensor);
        auto const& values = group.of(Role::Recurrence);
        auto const found = std::ranges::find(values, tensor->producer());
        if (found == values.end() || !isTrue(*(*found)->input(0))) return false;
        return std::ranges::all_of(group.of(Role::NextValue), [&](Node const* edge) {
            if (as<ControlEdge>(*edge->layer)->index != found - values.begin()) return true;
            Tensor const* const next = copiedFrom(edge->input(0));
            return next == tensor || (!inside.has(next) && isTrue(*next));
        });
    }

    static Tensor const* copiedFrom(Tensor const* tensor) {
        while (tensor->producer() && tensor->producer()->kind() == Identity::kKind)
            tensor = tensor->producer()->input(0);
        return tensor;
    }

    /// The part of the loop that computes its condition; an Error if it reads more than recurrences.
    static Nodes conditionNodes(Group const& group, Node const& condition) {
        Between const part(group.of(Role::Recurrence), {condition.input(0)});
        Between const iterated(group.of(Role::Iterator), {condition.input(0)});
        if (iterated.has(condition.input(0)))
            fail(ErrorCode::Unsupported, condition,
                 ": the condition depends on an iterator, which has no element after the last iteration; expected "
                 "recurrences");
        return part.nodes();
    }

    /// Whether there is an iteration after this one: the condition, for the next values.
    Tensor* conditionAfter(Group const& group, Node const& condition, Between const& inside, Copy& body,
                           std::vector<Tensor*> const& next) const {
        Tensor* const tensor = condition.input(0);
        if (!inside.has(tensor)) return body.capture(tensor);
        Nodes const nodes = conditionNodes(group, condition);
        for (size_t i = 0; i < next.size(); ++i) body.stand(group.of(Role::Recurrence)[i]->output(), next[i]);
        body.addNodes(nodes, " after"); // a second time, with the recurrences at their next values
        return body.capture(tensor);
    }

    /// Whether there is a first iteration: the condition, for the first values.
    Tensor* conditionBefore(Group const& group, Node const& condition, Between const& inside) {
        Tensor* const tensor = condition.input(0);
        if (!inside.has(tensor)) return tensor;
        std::unordered_map<Tensor const*, Tensor*> first;
        for (Node const* recurrence : group.of(Role::Recurrence)) first[recurrence->output()] = recurrence->input(0);
        Nodes const nodes = conditionNodes(group, condition);
        for (Node const* node : order_) {
            if (!nodes.contains(node)) continue;
            std::vector<Tensor*> inputs;
            for (Tensor* input : node->inputs()) inputs.push_back(first.contains(input) ? first[input] : input);
            Node const* const made = graph_.add(node->layer->clone(), inputs, text(node->name, " at first"));
            for (size_t i = 0; i < node->outputs().size(); ++i) first[node->outputs()[i]] = made->outputs()[i];
        }
        return first.at(tensor);
    }

    /// Whether the number of iterations decides no shape, since gathered outputs have an explicit length, and is known
    /// at run time only: then it is an ordinary condition, and the tensors it is computed from stay ordinary inputs.
    static bool isCountLate(Group const& group) {
        Node const* const count = group.one(Role::TripCount);
        if (!count || group.of(Role::Gathered).empty()) return false;
        auto const decided = inputsDeciding(group.inputsOf({Role::Gathered}, 1));
        return !std::ranges::includes(decided, inputsDeciding({count->input(0)}));
    }

    /// The inputs of the graph whose elements decide those of these tensors.
    static std::set<Tensor const*> inputsDeciding(std::vector<Tensor*> waiting) {
        std::set<Tensor const*> inputs;
        std::unordered_set<Tensor const*> seen;
        while (!waiting.empty()) {
            Tensor const* const tensor = waiting.back();
            waiting.pop_back();
            if (!tensor || tensor->literal() || !seen.insert(tensor).second) continue;
            Node const* const node = tensor->producer();
            if (!node) inputs.insert(tensor);
            for (size_t i = 0; node && i < node->inputs().size(); ++i) {
                if (!node->layer->readsShapeOnly(static_cast<int>(i))) waiting.push_back(node->inputs()[i]);
            }
        }
        return inputs;
    }

    static Tensor* none(Graph& graph) { return graph.emit(Constant(Literal::scalar(int64_t{0})), {}); }

    static Tensor* oneMore(Graph& graph, Tensor* number) {
        Tensor* const one = graph.emit(Constant(Literal::scalar(int64_t{1})), {});
        return graph.emit(elementwise(PointwiseOp::Sum), {number, one});
    }

    /// Whether `condition`, if any, is true and `number` is less than `count`.
    static Tensor* andFewer(Graph& graph, Tensor* condition, Tensor* number, Tensor* count) {
        Tensor* const fewer = graph.emit(elementwise(PointwiseOp::Less), {number, asInt64(graph, count)});
        return condition ? graph.emit(elementwise(PointwiseOp::And), {condition, fewer}) : fewer;
    }

    static Tensor* asInt64(Graph& graph, Tensor* tensor) {
        Cast cast;
        cast.to = DataType::Int64;
        return tensor->type == cast.to ? tensor : graph.emit(cast, {tensor}, text(tensor->name, " as int64"));
    }

    Tensor* mostTrips(Group const& group) {
        Node const* const count = group.one(Role::TripCount);
        return count ? count->input(0) : mostGathered(group);
    }

    /// Without a count, gathered outputs have room for as many iterations as their length.
    Tensor* mostGathered(Group const& group) {
        Tensor* most = nullptr;
        for (Tensor* length : group.inputsOf({Role::Gathered}, 1)) {
            if (most && most != length)
                most = graph_.emit(elementwise(PointwiseOp::Max), {asInt64(graph_, most), asInt64(graph_, length)});
            else
                most = length;
        }
        return most;
    }

    void takeOutputs(Group const& group, Node const& loop) {
        for (Node* last : group.of(Role::LastValue)) {
            auto const& values = group.of(Role::Recurrence);
            auto const found = std::ranges::find(values, last->input(0)->producer());
            if (found == values.end())
                fail(ErrorCode::InvalidModel, *last, ": the last value of ", last->input(0)->name,
                     " is requested; expected the output of a recurrence layer of its loop");
            replace(last->output(), loop.output(static_cast<int>(found - values.begin())));
        }
        auto index = static_cast<int>(group.of(Role::Recurrence).size());
        for (Node* gathered : group.of(Role::Gathered))
            replace(gathered->output(), arranged(*gathered, loop.output(index++), group));
    }

    /// The output gathered along axis 0, with the edge's axis and length.
    Tensor* arranged(Node const& gathered, Tensor* all, Group const& group) {
        auto const& edge = *as<ControlEdge>(*gathered.layer);
        if (edge.reverse) all = reversed(all, 0);
        Node const* const count = group.one(Role::TripCount);
        if (!count || count->input(0) != gathered.input(1)) all = fitted(all, gathered.input(1));
        if (edge.axis == 0) return all;
        std::vector<int64_t> order(all->shape.size() - 1);
        std::iota(order.begin(), order.end(), 1);
        order.insert(order.begin() + static_cast<ptrdiff_t>(edge.axis), 0);
        return graph_.emit(Shuffle::transposing(order), {all}, text(gathered.name, " arranged"));
    }

    /// Of the given length: zeros follow if there were fewer iterations.
    Tensor* fitted(Tensor* all, Tensor* length) {
        Tensor* const list = graph_.emit(Shuffle::reshaping({1}), {length}, text(length->name, " as a list"));
        Slice slice;
        slice.mode = Slice::Mode::Fill;
        slice.axes = {0};
        slice.start = {0};
        return graph_.emit(slice, {all, nullptr, list}, text(all->name, " fitted"));
    }

    // ---- a conditional

    void outlineConditional(Group const& group) {
        Node const* const condition = group.one(Role::Condition);
        if (!condition)
            fail(ErrorCode::InvalidModel, *anEdge(group), ": its conditional has no condition; call setCondition()");
        if (group.of(Role::BranchOutput).empty())
            fail(ErrorCode::InvalidModel, *condition, ": its conditional has no output; call addOutput()");
        Between const inside = between(group);
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
        for (size_t i = 0; i < outputs.size(); ++i) replace(outputs[i]->output(), made->output(static_cast<int>(i)));
        removeEdges(group, inside.nodes());
    }

    Graph branch(Group const& group, int which, std::vector<Tensor*>& inputs) const {
        auto const gives = group.inputsOf({Role::BranchOutput}, which);
        Between const part(group.of(Role::BranchInput), gives);
        Copy body(order_, part.nodes());
        for (Node const* input : group.of(Role::BranchInput))
            body.standAtEdge(input->output(), body.capture(input->input(0)));
        body.addNodes();
        for (Tensor* tensor : gives) body.give(body.capture(tensor));
        inputs.insert(inputs.end(), body.captures.begin(), body.captures.end());
        return std::move(body.graph);
    }

    // ---- both

    void replace(Tensor* from, Tensor* to) {
        if (from->isDebug && !graph_.isOutput(from)) to = shownAs(graph_, *from, to);
        if (graph_.isOutput(from)) graph_.replaceOutput(from, to);
        graph_.replaceUses(from, to);
    }

    /// The edges, and the nodes between them; an Error if something outside reads these.
    void removeEdges(Group const& group, Nodes const& inside) {
        Nodes gone = inside;
        for (auto const& [role, nodes] : group.edges) gone.insert(nodes.begin(), nodes.end());
        Nodes const shownOnly = onlyShown(gone);
        gone.insert(shownOnly.begin(), shownOnly.end());
        auto nodes = order_;
        std::ranges::reverse(nodes);
        for (Node* node : nodes) {
            if (!gone.contains(node)) continue;
            for (Tensor const* output : node->outputs()) expectUnread(*node, *output);
            graph_.remove(node);
        }
    }

    /// Nodes that read inner tensors and lead only to a debug tensor: no run needs them. Empty if an output of the
    /// network is among their results.
    Nodes onlyShown(Nodes const& inside) const {
        Nodes found;
        for (Node const* node : order_) {
            bool const reads = std::ranges::any_of(node->inputs(), [&](Tensor const* input) {
                return input && input->producer() &&
                       (inside.contains(input->producer()) || found.contains(input->producer()));
            });
            if (!reads || inside.contains(node)) continue;
            bool const isNeeded =
                node->outputs().empty() || node->kind() == ControlEdge::kKind ||
                std::ranges::any_of(node->outputs(), [&](Tensor const* output) { return graph_.isOutput(output); });
            if (isNeeded) return {};
            found.insert(node);
        }
        return found;
    }

    void expectUnread(Node const& node, Tensor const& output) const {
        if (graph_.isOutput(&output))
            fail(ErrorCode::InvalidModel, "output ", output.name,
                 " of the network is computed inside a loop or conditional, by ", node,
                 "; add it with addLoopOutput() or addOutput()");
        if (!output.readers().empty())
            fail(ErrorCode::InvalidModel, *output.readers().front(), ": reads ", output.name,
                 ", which is computed inside a loop or conditional, by ", node,
                 "; add it with addLoopOutput() or addOutput()");
    }

    Graph& graph_;
    std::map<int64_t, Group> groups_;
    std::vector<Node*> order_;
};

} // namespace

void outlineControl(Graph& graph) { Outliner(graph).run(); }

} // namespace tenon
