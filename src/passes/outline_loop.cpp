// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "passes/outline_loop.h"

#include "base/error.h"
#include "graph/evaluate.h"
#include "layers/cast/cast.h"
#include "layers/constant/constant.h"
#include "layers/elementwise/elementwise.h"
#include "layers/gather/gather.h"
#include "layers/identity/identity.h"
#include "layers/loop/loop.h"
#include "layers/shuffle/shuffle.h"
#include "layers/slice/slice.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace tenon {
namespace {

using Role = ControlEdge::Role;

/// Replaces a group by a Loop.
class LoopOutliner {
public:
    LoopOutliner(Graph& graph, std::vector<Node*> const& order) : graph_(graph), order_(order) {}

    void outline(ControlGroup const& group) {
        if (!group.one(Role::TripCount) && !group.one(Role::TripCondition))
            fail(ErrorCode::InvalidModel, *anEdge(group), ": its loop never ends; add a trip limit (addTripLimit)");
        GroupInterior const inside = interiorOf(group);
        SubgraphCopy body(order_, inside.nodes());
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
        removeEdges(graph_, order_, group, inside.nodes());
    }

private:
    /// The element of an iteration. A tensor that is iterated in reverse is reversed before.
    void addElement(SubgraphCopy& body, Node const& iterator, Tensor* trip) {
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

    static std::vector<Tensor*> nextValues(ControlGroup const& group, SubgraphCopy& body) {
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
    static bool staysTrue(ControlGroup const& group, Node const& condition, GroupInterior const& inside) {
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
    static NodeSet conditionNodes(ControlGroup const& group, Node const& condition) {
        GroupInterior const part(group.of(Role::Recurrence), {condition.input(0)});
        GroupInterior const iterated(group.of(Role::Iterator), {condition.input(0)});
        if (iterated.has(condition.input(0)))
            fail(ErrorCode::Unsupported, condition,
                 ": the condition depends on an iterator, which has no element after the last iteration; expected "
                 "recurrences");
        return part.nodes();
    }

    /// Whether there is an iteration after this one: the condition, for the next values.
    Tensor* conditionAfter(ControlGroup const& group, Node const& condition, GroupInterior const& inside,
                           SubgraphCopy& body, std::vector<Tensor*> const& next) const {
        Tensor* const tensor = condition.input(0);
        if (!inside.has(tensor)) return body.capture(tensor);
        NodeSet const nodes = conditionNodes(group, condition);
        for (size_t i = 0; i < next.size(); ++i) body.stand(group.of(Role::Recurrence)[i]->output(), next[i]);
        body.addNodes(nodes, " after"); // a second time, with the recurrences at their next values
        return body.capture(tensor);
    }

    /// Whether there is a first iteration: the condition, for the first values.
    Tensor* conditionBefore(ControlGroup const& group, Node const& condition, GroupInterior const& inside) {
        Tensor* const tensor = condition.input(0);
        if (!inside.has(tensor)) return tensor;
        std::unordered_map<Tensor const*, Tensor*> first;
        for (Node const* recurrence : group.of(Role::Recurrence)) first[recurrence->output()] = recurrence->input(0);
        NodeSet const nodes = conditionNodes(group, condition);
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
    static bool isCountLate(ControlGroup const& group) {
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

    Tensor* mostTrips(ControlGroup const& group) {
        Node const* const count = group.one(Role::TripCount);
        return count ? count->input(0) : mostGathered(group);
    }

    /// Without a count, gathered outputs have room for as many iterations as their length.
    Tensor* mostGathered(ControlGroup const& group) {
        Tensor* most = nullptr;
        for (Tensor* length : group.inputsOf({Role::Gathered}, 1)) {
            if (most && most != length)
                most = graph_.emit(elementwise(PointwiseOp::Max), {asInt64(graph_, most), asInt64(graph_, length)});
            else
                most = length;
        }
        return most;
    }

    void takeOutputs(ControlGroup const& group, Node const& loop) {
        for (Node* last : group.of(Role::LastValue)) {
            auto const& values = group.of(Role::Recurrence);
            auto const found = std::ranges::find(values, last->input(0)->producer());
            if (found == values.end())
                fail(ErrorCode::InvalidModel, *last, ": the last value of ", last->input(0)->name,
                     " is requested; expected the output of a recurrence layer of its loop");
            replaceTensor(graph_, last->output(), loop.output(static_cast<int>(found - values.begin())));
        }
        auto index = static_cast<int>(group.of(Role::Recurrence).size());
        for (Node* gathered : group.of(Role::Gathered))
            replaceTensor(graph_, gathered->output(), arranged(*gathered, loop.output(index++), group));
    }

    /// The output gathered along axis 0, with the edge's axis and length.
    Tensor* arranged(Node const& gathered, Tensor* all, ControlGroup const& group) {
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

    Graph& graph_;
    std::vector<Node*> const& order_;
};

} // namespace

void outlineLoop(Graph& graph, std::vector<Node*> const& order, ControlGroup const& group) {
    LoopOutliner(graph, order).outline(group);
}

} // namespace tenon
