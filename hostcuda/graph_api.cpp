// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Graphs that an application builds or inspects node by node.
#include <algorithm>
#include <cstdio>

#include "export.h"
#include "graph.h"
#include "status.h"

namespace hostcuda {
namespace {

template <class Kind> Kind& as(cudaGraphNode_t node) {
    Kind* const found = std::get_if<Kind>(&findNode(node)->operation);
    require(found != nullptr);
    return *found;
}

void add(cudaGraphNode_t* result, cudaGraph_t graph, cudaGraphNode_t const* after, size_t count, Operation operation) {
    require(result != nullptr);
    *result = handleOf(graphs().find(graph)->add(std::move(operation), findNodes(after, count)));
}

template <class Checked> Checked checked(Checked const& operation) {
    check(operation);
    return operation;
}

template <class Parameters> Parameters const& given(Parameters const* parameters) {
    require(parameters != nullptr);
    return *parameters;
}

Copy rowCopy(void* to, void const* from, size_t bytes, cudaMemcpyKind kind) {
    return checked(Copy{Place::row(to), Place::row(from), {bytes, 1, 1}, kind});
}

HostFunction functionOf(cudaHostNodeParams const* parameters) {
    require(given(parameters).fn != nullptr);
    return {parameters->fn, parameters->userData};
}

// Writes up to the capacity, and null into the rest; without room, returns the number.
void list(std::vector<Node*> const& nodes, cudaGraphNode_t* out, size_t* count) {
    require(count != nullptr);
    if (out != nullptr) {
        for (size_t index = 0; index < *count; ++index)
            out[index] = index < nodes.size() ? handleOf(nodes[index]) : nullptr;
    }
    *count = out == nullptr ? nodes.size() : std::min(*count, nodes.size());
}

std::vector<Node*> all(Graph const& graph) {
    std::vector<Node*> nodes;
    for (auto const& node : graph.nodes()) nodes.push_back(node.get());
    return nodes;
}

std::vector<Node*> dependents(Node const* node) {
    std::vector<Node*> nodes = all(*node->graph);
    std::erase_if(nodes, [node](Node* each) { return std::ranges::count(each->after, node) == 0; });
    return nodes;
}

void listEdges(Graph const& graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
    std::vector<Node*> starts, ends;
    for (auto const& node : graph.nodes()) {
        starts.insert(starts.end(), node->after.begin(), node->after.end());
        ends.insert(ends.end(), node->after.size(), node.get());
    }
    require(count != nullptr && (from == nullptr) == (to == nullptr));
    size_t room = *count;
    list(starts, from, &room);
    list(ends, to, count);
}

void connect(cudaGraph_t handle, cudaGraphNode_t const* from, cudaGraphNode_t const* to, size_t count, bool isToBe) {
    auto const graph = graphs().find(handle);
    std::vector<Node*> const starts = findNodes(from, count), ends = findNodes(to, count);
    for (size_t index = 0; index < count; ++index) {
        Node* const start = starts[index];
        std::vector<Node*>& after = ends[index]->after;
        bool const isThere = std::ranges::count(after, start) != 0;
        require(start->graph == graph.get() && ends[index]->graph == graph.get() && isThere != isToBe);
        isToBe ? after.push_back(start) : static_cast<void>(std::erase(after, start));
    }
}

void print(Graph const& graph, char const* path) {
    require(path != nullptr);
    std::unique_ptr<FILE, int (*)(FILE*)> const file(std::fopen(path, "w"), &std::fclose);
    require(file != nullptr, cudaErrorOperatingSystem);
    static constexpr char const* kNames[] = {"kernel", "memcpy", "memset",     "host",        "graph",
                                             "empty",  "wait",   "event wait", "event record"};
    std::fprintf(file.get(), "digraph dot {\n");
    for (auto const& node : graph.nodes()) {
        std::fprintf(file.get(), "  n%p [label=\"%s\"];\n", static_cast<void*>(node.get()),
                     kNames[typeOf(node->operation)]);
        for (Node const* before : node->after)
            std::fprintf(file.get(), "  n%p -> n%p;\n", static_cast<void const*>(before),
                         static_cast<void*>(node.get()));
    }
    std::fprintf(file.get(), "}\n");
}

// The application's references to a user object by its handle.
struct Held {
    std::shared_ptr<UserObject> object;
    size_t count;
    std::mutex mutex;
};

Handles<Held>& userObjects() {
    static Handles<Held>& instance = *new Handles<Held>(cudaErrorInvalidValue);
    return instance;
}

void drop(cudaUserObject_t handle, size_t count) {
    auto const held = userObjects().find(handle);
    std::lock_guard const lock(held->mutex);
    require(held->count >= count);
    held->count -= count;
    if (held->count == 0) userObjects().remove(handle);
}

void retain(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
    require(count > 0 && (flags & ~static_cast<unsigned>(cudaGraphUserObjectMove)) == 0);
    auto const held = userObjects().find(object);
    graphs().find(graph)->retain(held->object, count);
    if (flags == cudaGraphUserObjectMove) drop(object, count);
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

CUDART(cudaGraphCreate)(cudaGraph_t* pGraph, unsigned int flags) {
    return call([&] {
        require(pGraph != nullptr && flags == 0);
        *pGraph = static_cast<cudaGraph_t>(graphs().add(std::make_shared<Graph>()));
    });
}

CUDART(cudaGraphDestroy)(cudaGraph_t graph) {
    return callAlways([&] { graphs().remove(graph); });
}

CUDART(cudaGraphClone)(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph) {
    return call([&] {
        require(pGraphClone != nullptr);
        *pGraphClone = static_cast<cudaGraph_t>(graphs().add(graphs().find(originalGraph)->clone()));
    });
}

CUDART(cudaGraphNodeFindInClone)(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode, cudaGraph_t clonedGraph) {
    return call([&] {
        require(pNode != nullptr);
        *pNode = handleOf(graphs().find(clonedGraph)->copyOf(findNode(originalNode)));
    });
}

CUDART(cudaGraphDebugDotPrint)(cudaGraph_t graph, char const* path, unsigned int) {
    return call([&] { print(*graphs().find(graph), path); });
}

// ---- nodes are added

CUDART(cudaGraphAddEmptyNode)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies) {
    return call([&] { add(pGraphNode, graph, pDependencies, numDependencies, Nothing{}); });
}

CUDART(cudaGraphAddHostNode)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies,
 cudaHostNodeParams const* pNodeParams) {
    return call([&] { add(pGraphNode, graph, pDependencies, numDependencies, functionOf(pNodeParams)); });
}

CUDART(cudaGraphAddMemcpyNode)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies,
 cudaMemcpy3DParms const* pCopyParams) {
    return call([&] { add(pGraphNode, graph, pDependencies, numDependencies, checked(copyOf(given(pCopyParams)))); });
}

CUDART(cudaGraphAddMemcpyNode1D)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies,
 void* dst, void const* src, size_t count, cudaMemcpyKind kind) {
    return call([&] { add(pGraphNode, graph, pDependencies, numDependencies, rowCopy(dst, src, count, kind)); });
}

CUDART(cudaGraphAddMemsetNode)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies,
 cudaMemsetParams const* pMemsetParams) {
    return call([&] { add(pGraphNode, graph, pDependencies, numDependencies, checked(fillOf(given(pMemsetParams)))); });
}

CUDART(cudaGraphAddChildGraphNode)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies,
 cudaGraph_t childGraph) {
    return call([&] {
        add(pGraphNode, graph, pDependencies, numDependencies, ChildGraph{graphs().find(childGraph)->clone()});
    });
}

CUDART(cudaGraphAddEventRecordNode)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies,
 cudaEvent_t event) {
    return call([&] { add(pGraphNode, graph, pDependencies, numDependencies, RecordEvent{event}); });
}

CUDART(cudaGraphAddEventWaitNode)
(cudaGraphNode_t* pGraphNode, cudaGraph_t graph, cudaGraphNode_t const* pDependencies, size_t numDependencies,
 cudaEvent_t event) {
    return call([&] { add(pGraphNode, graph, pDependencies, numDependencies, WaitEvent{event}); });
}

CUDART(cudaGraphDestroyNode)(cudaGraphNode_t node) {
    return call([&] {
        Node* const found = findNode(node);
        found->graph->remove(found);
    });
}

// ---- nodes are queried and changed

CUDART(cudaGraphGetNodes)(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes) {
    return call([&] { list(all(*graphs().find(graph)), nodes, numNodes); });
}

CUDART(cudaGraphGetRootNodes)(cudaGraph_t graph, cudaGraphNode_t* pRootNodes, size_t* pNumRootNodes) {
    return call([&] {
        std::vector<Node*> nodes = all(*graphs().find(graph));
        std::erase_if(nodes, [](Node const* node) { return !node->after.empty(); });
        list(nodes, pRootNodes, pNumRootNodes);
    });
}

CUDART(cudaGraphNodeGetType)(cudaGraphNode_t node, cudaGraphNodeType* pType) {
    return call([&] {
        require(pType != nullptr);
        *pType = typeOf(findNode(node)->operation);
    });
}

CUDART(cudaGraphHostNodeGetParams)(cudaGraphNode_t node, cudaHostNodeParams* pNodeParams) {
    return call([&] {
        auto const& host = as<HostFunction>(node);
        require(pNodeParams != nullptr);
        *pNodeParams = {host.function, host.data};
    });
}

CUDART(cudaGraphHostNodeSetParams)(cudaGraphNode_t node, cudaHostNodeParams const* pNodeParams) {
    return call([&] { as<HostFunction>(node) = functionOf(pNodeParams); });
}

CUDART(cudaGraphMemcpyNodeGetParams)(cudaGraphNode_t node, cudaMemcpy3DParms* pNodeParams) {
    return call([&] {
        require(pNodeParams != nullptr);
        *pNodeParams = parametersOf(as<Copy>(node));
    });
}

CUDART(cudaGraphMemcpyNodeSetParams)(cudaGraphNode_t node, cudaMemcpy3DParms const* pNodeParams) {
    return call([&] { as<Copy>(node) = checked(copyOf(given(pNodeParams))); });
}

CUDART(cudaGraphMemcpyNodeSetParams1D)
(cudaGraphNode_t node, void* dst, void const* src, size_t count, cudaMemcpyKind kind) {
    return call([&] { as<Copy>(node) = rowCopy(dst, src, count, kind); });
}

CUDART(cudaGraphMemsetNodeGetParams)(cudaGraphNode_t node, cudaMemsetParams* pNodeParams) {
    return call([&] {
        require(pNodeParams != nullptr);
        *pNodeParams = parametersOf(as<Fill>(node));
    });
}

CUDART(cudaGraphMemsetNodeSetParams)(cudaGraphNode_t node, cudaMemsetParams const* pNodeParams) {
    return call([&] { as<Fill>(node) = checked(fillOf(given(pNodeParams))); });
}

CUDART(cudaGraphChildGraphNodeGetGraph)(cudaGraphNode_t node, cudaGraph_t* pGraph) {
    return call([&] {
        require(pGraph != nullptr);
        auto const& child = as<ChildGraph>(node).graph;
        graphs().add(child);
        *pGraph = reinterpret_cast<cudaGraph_t>(child.get());
    });
}

CUDART(cudaGraphEventRecordNodeGetEvent)(cudaGraphNode_t node, cudaEvent_t* event_out) {
    return call([&] {
        require(event_out != nullptr);
        *event_out = as<RecordEvent>(node).event;
    });
}

CUDART(cudaGraphEventRecordNodeSetEvent)(cudaGraphNode_t node, cudaEvent_t event) {
    return call([&] { as<RecordEvent>(node) = {event}; });
}

CUDART(cudaGraphEventWaitNodeGetEvent)(cudaGraphNode_t node, cudaEvent_t* event_out) {
    return call([&] {
        require(event_out != nullptr);
        *event_out = as<WaitEvent>(node).event;
    });
}

CUDART(cudaGraphEventWaitNodeSetEvent)(cudaGraphNode_t node, cudaEvent_t event) {
    return call([&] { as<WaitEvent>(node) = {event}; });
}

// ---- edges: in 13 the names without a number have the arguments of 12's _v2. All edges here are plain.

#define HOSTCUDA_NEW_IN_13(name)                                                                                       \
    HOSTCUDA_IN_11(name, "hostcuda_" #name);                                                                           \
    HOSTCUDA_IN_12(name);                                                                                              \
    HOSTCUDA_IN_13(name, "hostcuda_" #name "_v2")

namespace {

void clear(cudaGraphEdgeData* edges, size_t const* count) {
    if (edges != nullptr && count != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
}

} // namespace

HOSTCUDA_NEW_IN_13(cudaGraphGetEdges);
HOSTCUDA_DEFINE(cudaError_t, cudaGraphGetEdges)
(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* numEdges) {
    return call([&] { listEdges(*graphs().find(graph), from, to, numEdges); });
}

CUDART_HIDDEN(cudaError_t, cudaGraphGetEdges_v2)
(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, cudaGraphEdgeData* edges, size_t* numEdges) {
    clear(edges, numEdges);
    return hostcuda_cudaGraphGetEdges(graph, from, to, numEdges);
}

HOSTCUDA_NEW_IN_13(cudaGraphNodeGetDependencies);
HOSTCUDA_DEFINE(cudaError_t, cudaGraphNodeGetDependencies)
(cudaGraphNode_t node, cudaGraphNode_t* pDependencies, size_t* pNumDependencies) {
    return call([&] { list(findNode(node)->after, pDependencies, pNumDependencies); });
}

CUDART_HIDDEN(cudaError_t, cudaGraphNodeGetDependencies_v2)
(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges, size_t* count) {
    clear(edges, count);
    return hostcuda_cudaGraphNodeGetDependencies(node, nodes, count);
}

HOSTCUDA_NEW_IN_13(cudaGraphNodeGetDependentNodes);
HOSTCUDA_DEFINE(cudaError_t, cudaGraphNodeGetDependentNodes)
(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes, size_t* pNumDependentNodes) {
    return call([&] { list(dependents(findNode(node)), pDependentNodes, pNumDependentNodes); });
}

CUDART_HIDDEN(cudaError_t, cudaGraphNodeGetDependentNodes_v2)
(cudaGraphNode_t node, cudaGraphNode_t* nodes, cudaGraphEdgeData* edges, size_t* count) {
    clear(edges, count);
    return hostcuda_cudaGraphNodeGetDependentNodes(node, nodes, count);
}

HOSTCUDA_NEW_IN_13(cudaGraphAddDependencies);
HOSTCUDA_DEFINE(cudaError_t, cudaGraphAddDependencies)
(cudaGraph_t graph, cudaGraphNode_t const* from, cudaGraphNode_t const* to, size_t numDependencies) {
    return call([&] { connect(graph, from, to, numDependencies, true); });
}

CUDART_HIDDEN(cudaError_t, cudaGraphAddDependencies_v2)
(cudaGraph_t graph, cudaGraphNode_t const* from, cudaGraphNode_t const* to, cudaGraphEdgeData const*, size_t count) {
    return hostcuda_cudaGraphAddDependencies(graph, from, to, count);
}

HOSTCUDA_NEW_IN_13(cudaGraphRemoveDependencies);
HOSTCUDA_DEFINE(cudaError_t, cudaGraphRemoveDependencies)
(cudaGraph_t graph, cudaGraphNode_t const* from, cudaGraphNode_t const* to, size_t numDependencies) {
    return call([&] { connect(graph, from, to, numDependencies, false); });
}

CUDART_HIDDEN(cudaError_t, cudaGraphRemoveDependencies_v2)
(cudaGraph_t graph, cudaGraphNode_t const* from, cudaGraphNode_t const* to, cudaGraphEdgeData const*, size_t count) {
    return hostcuda_cudaGraphRemoveDependencies(graph, from, to, count);
}

// ---- objects that live as long as a graph

CUDART(cudaUserObjectCreate)
(cudaUserObject_t* object_out, void* ptr, cudaHostFn_t destroy, unsigned int initialRefcount, unsigned int flags) {
    return call([&] {
        require(object_out != nullptr && destroy != nullptr && initialRefcount > 0);
        require(flags == cudaUserObjectNoDestructorSync);
        auto held = std::make_shared<Held>();
        held->count = initialRefcount;
        held->object = std::make_shared<UserObject>(ptr, destroy);
        *object_out = static_cast<cudaUserObject_t>(userObjects().add(std::move(held)));
    });
}

CUDART(cudaUserObjectRetain)(cudaUserObject_t object, unsigned int count) {
    return call([&] {
        require(count > 0);
        auto const held = userObjects().find(object);
        std::lock_guard const lock(held->mutex);
        held->count += count;
    });
}

CUDART(cudaUserObjectRelease)(cudaUserObject_t object, unsigned int count) {
    return callAlways([&] { drop(object, count); });
}

CUDART(cudaGraphRetainUserObject)
(cudaGraph_t graph, cudaUserObject_t object, unsigned int count, unsigned int flags) {
    return call([&] { retain(graph, object, count, flags); });
}

CUDART(cudaGraphReleaseUserObject)(cudaGraph_t graph, cudaUserObject_t object, unsigned int count) {
    return callAlways([&] { graphs().find(graph)->release(userObjects().find(object)->object, count); });
}
