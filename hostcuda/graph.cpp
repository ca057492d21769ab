// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "graph.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "event.h"
#include "status.h"

namespace hostcuda {
namespace {

template <class... Cases> struct Overloaded : Cases... { using Cases::operator()...; };
template <class... Cases> Overloaded(Cases...) -> Overloaded<Cases...>;

// Never destroyed: calls may come from the destructors of other globals.
Handles<Node>& nodeHandles() {
    static Handles<Node>& instance = *new Handles<Node>(cudaErrorInvalidValue);
    return instance;
}

void perform(HostFunction const& host) {
    CallersFunction const scope;
    host.function(host.data);
}

void perform(DeviceWork const& work) {
    int const status = work.function(work.data);
    if (status != 0)
        stick(static_cast<cudaError_t>(status), "work in a stream", "it failed; see the log of its library");
}

void perform(ChildGraph const& child, Stream& stream) {
    for (Node const* node : child.graph->order()) hostcuda::perform(node->operation, stream);
}

} // namespace

cudaGraphNodeType typeOf(Operation const& operation) {
    return std::visit(Overloaded{
                          [](Nothing const&) { return cudaGraphNodeTypeEmpty; },
                          [](Copy const&) { return cudaGraphNodeTypeMemcpy; },
                          [](Fill const&) { return cudaGraphNodeTypeMemset; },
                          [](HostFunction const&) { return cudaGraphNodeTypeHost; },
                          [](DeviceWork const&) { return cudaGraphNodeTypeKernel; },
                          [](ChildGraph const&) { return cudaGraphNodeTypeGraph; },
                          [](RecordEvent const&) { return cudaGraphNodeTypeEventRecord; },
                          [](WaitEvent const&) { return cudaGraphNodeTypeWaitEvent; },
                      },
                      operation);
}

// This call has no waiting caller: the application's next call reports its error.
void perform(Operation const& operation, Stream& stream) try {
    std::visit(Overloaded{
                   [](Nothing const&) {},
                   [](Copy const& copy) { copy.run(); },
                   [](Fill const& fill) { fill.run(); },
                   [](HostFunction const& host) { perform(host); },
                   [](DeviceWork const& work) { perform(work); },
                   [&](ChildGraph const& child) { perform(child, stream); },
                   [&](RecordEvent const& record) { recordEvent(record.event, stream); },
                   [](WaitEvent const& wait) { waitForEvent(wait.event); },
               },
               operation);
} catch (Failure const& failure) {
    remember(failure.code);
}

Graph::~Graph() {
    for (auto const& node : nodes_) {
        nodeHandles().discard(node.get());
        auto const* const child = std::get_if<ChildGraph>(&node->operation);
        if (child != nullptr) graphs().discard(child->graph.get()); // that was requested
    }
}

Node* Graph::add(Operation operation, std::vector<Node*> after) {
    require(std::ranges::all_of(after, [this](Node const* node) { return node->graph == this; }));
    auto node = std::make_shared<Node>(Node{std::move(operation), std::move(after), this, nullptr});
    nodeHandles().add(node);
    nodes_.push_back(std::move(node));
    return nodes_.back().get();
}

void Graph::remove(Node* node) {
    for (auto const& other : nodes_) std::erase(other->after, node);
    nodeHandles().discard(node);
    std::erase_if(nodes_, [node](auto const& each) { return each.get() == node; });
}

std::shared_ptr<Graph> Graph::clone() const {
    auto copy = std::make_shared<Graph>();
    std::unordered_map<Node const*, Node*> copies;
    for (auto const& node : nodes_) {
        Node* const made = copies[node.get()] = copy->add(node->operation, {});
        made->original = node.get();
        auto* const child = std::get_if<ChildGraph>(&made->operation);
        if (child != nullptr) child->graph = child->graph->clone();
    }
    for (auto const& node : nodes_) {
        for (Node const* before : node->after) copies[node.get()]->after.push_back(copies[before]);
    }
    copy->retained_ = retained_;
    return copy;
}

std::vector<Node*> Graph::order() const {
    std::vector<Node*> sorted;
    std::unordered_set<Node const*> done;
    while (sorted.size() < nodes_.size()) {
        size_t const before = sorted.size();
        for (auto const& node : nodes_) {
            bool const isReady = !done.contains(node.get()) &&
                                 std::ranges::all_of(node->after, [&](Node* other) { return done.contains(other); });
            if (!isReady) continue;
            sorted.push_back(node.get());
            done.insert(node.get());
        }
        require(sorted.size() > before);
    }
    return sorted;
}

Node* Graph::copyOf(Node const* original) const {
    auto const found = std::ranges::find(nodes_, original, [](auto const& node) { return node->original; });
    require(found != nodes_.end());
    return found->get();
}

void Graph::release(std::shared_ptr<UserObject> const& object, size_t count) {
    auto const found = retained_.find(object);
    require(found != retained_.end() && found->second >= count);
    found->second -= count;
    if (found->second == 0) retained_.erase(found);
}

Handles<Graph>& graphs() {
    static Handles<Graph>& instance = *new Handles<Graph>(cudaErrorInvalidValue);
    return instance;
}

Node* findNode(cudaGraphNode_t handle) { return nodeHandles().find(handle).get(); }

std::vector<Node*> findNodes(cudaGraphNode_t const* handles, size_t count) {
    require(count == 0 || handles != nullptr);
    std::vector<Node*> nodes;
    for (size_t index = 0; index < count; ++index) nodes.push_back(findNode(handles[index]));
    return nodes;
}

} // namespace hostcuda
