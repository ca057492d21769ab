// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Operations of streams, as data: an operation is executed immediately, or is a node of a graph that is launched any
// number of times. One graph is used by one thread at a time, as with CUDA.
#pragma once

#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "copy.h"
#include "handles.h"
#include "stream.h"

namespace hostcuda {

class Graph;

struct Nothing {};
struct HostFunction {
    cudaHostFn_t function;
    void* data;
};
// A library's replacement for device work, see hostcudaLaunchWork: it may call the runtime, and returns 0 or an error.
struct DeviceWork {
    int (*function)(void*);
    void* data;
};
struct ChildGraph {
    std::shared_ptr<Graph> graph;
};
struct RecordEvent {
    cudaEvent_t event;
};
struct WaitEvent {
    cudaEvent_t event;
};
using Operation = std::variant<Nothing, Copy, Fill, HostFunction, DeviceWork, ChildGraph, RecordEvent, WaitEvent>;

cudaGraphNodeType typeOf(Operation const& operation);

// Executes it now, on this thread, on behalf of `stream`.
void perform(Operation const& operation, Stream& stream);

// An object that must live as long as a graph; its maker is notified when it ends.
class UserObject {
public:
    UserObject(void* object, cudaHostFn_t destroy) : object_(object), destroy_(destroy) {}
    ~UserObject() { destroy_(object_); }
    UserObject(UserObject const&) = delete;
    UserObject& operator=(UserObject const&) = delete;

private:
    void* object_;
    cudaHostFn_t destroy_;
};

struct Node {
    Operation operation;
    std::vector<Node*> after;
    Graph* graph;
    Node const* original; // the node that it is a copy of, which may no longer exist
};

class Graph {
public:
    Graph() = default;
    ~Graph();
    Graph(Graph const&) = delete;
    Graph& operator=(Graph const&) = delete;

    // Throws if a node of `after` belongs to another graph.
    Node* add(Operation operation, std::vector<Node*> after);
    void remove(Node* node);
    std::shared_ptr<Graph> clone() const;

    std::vector<std::shared_ptr<Node>> const& nodes() const { return nodes_; }
    // Each node after its dependencies; cudaErrorInvalidValue if there is no such order.
    std::vector<Node*> order() const;
    Node* copyOf(Node const* original) const;
    void retain(std::shared_ptr<UserObject> const& object, size_t count) { retained_[object] += count; }
    void release(std::shared_ptr<UserObject> const& object, size_t count);

private:
    std::vector<std::shared_ptr<Node>> nodes_;
    std::map<std::shared_ptr<UserObject>, size_t> retained_;
};

Handles<Graph>& graphs();
Node* findNode(cudaGraphNode_t handle);
std::vector<Node*> findNodes(cudaGraphNode_t const* handles, size_t count);
inline cudaGraphNode_t handleOf(Node const* node) { return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(node)); }

} // namespace hostcuda
