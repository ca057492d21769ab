// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Instantiated graphs, launched one node after another on one thread.
#include <algorithm>
#include <mutex>

#include "capture.h"
#include "export.h"
#include "status.h"

namespace hostcuda {
namespace {

constexpr unsigned long long kFlags =
    cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload | cudaGraphInstantiateFlagUseNodePriority;

bool hasFunction(Graph const& graph) {
    return std::ranges::any_of(graph.nodes(), [](auto const& node) {
        auto const* const child = std::get_if<ChildGraph>(&node->operation);
        return child != nullptr ? hasFunction(*child->graph) : std::holds_alternative<HostFunction>(node->operation);
    });
}

// A graph can be updated by one with the same kinds of nodes in the same order.
bool haveSameTypes(std::vector<Node*> const& a, std::vector<Node*> const& b) {
    return std::ranges::equal(
        a, b, {}, [](Node* node) { return node->operation.index(); },
        [](Node* node) { return node->operation.index(); });
}

bool haveSameEdges(std::vector<Node*> const& a, std::vector<Node*> const& b) {
    auto const place = [](std::vector<Node*> const& all, Node const* node) {
        return std::ranges::find(all, node) - all.begin();
    };
    for (size_t index = 0; index < a.size(); ++index) {
        bool const same = std::ranges::equal(a[index]->after, b[index]->after,
                                             [&](Node* x, Node* y) { return place(a, x) == place(b, y); });
        if (!same) return false;
    }
    return true;
}

class Executable {
public:
    Executable(Graph const& graph, unsigned long long flags) : flags_(flags) { take(graph); }

    unsigned long long flags() const { return flags_; }

    // Launches of one graph run one after another, whatever their streams.
    void launch(std::shared_ptr<Stream> const& stream) {
        std::lock_guard const lock(mutex_);
        std::vector<Mark> after;
        if (last_.stream != nullptr && last_.stream != stream) after.push_back(last_);
        auto work = [ready = ready_, &here = *stream] {
            for (Node const* node : ready->order) perform(node->operation, here);
        };
        last_ = ready_->hasFunction ? stream->submitElsewhere(work, after) : stream->submit(work, after);
    }

    cudaGraphExecUpdateResult update(Graph const& graph) {
        std::lock_guard const lock(mutex_);
        auto const given = graph.order();
        if (given.size() != ready_->order.size()) return cudaGraphExecUpdateErrorTopologyChanged;
        if (!haveSameTypes(ready_->order, given)) return cudaGraphExecUpdateErrorNodeTypeChanged;
        if (!haveSameEdges(ready_->order, given)) return cudaGraphExecUpdateErrorTopologyChanged;
        take(graph);
        return cudaGraphExecUpdateSuccess;
    }

    // Changes the copy of node `original`. Launches in progress are not affected.
    template <class Kind> void set(cudaGraphNode_t original, Kind operation) {
        std::lock_guard const lock(mutex_);
        auto const key = reinterpret_cast<Node const*>(original);
        size_t const index = static_cast<size_t>(std::ranges::find(originals_, key) - originals_.begin());
        require(index < originals_.size());
        require(std::holds_alternative<Kind>(ready_->graph->nodes()[index]->operation));
        auto changed = ready_->graph->clone();
        changed->nodes()[index]->operation = std::move(operation);
        ready_ = std::make_shared<Ready>(std::move(changed));
    }

private:
    struct Ready {
        explicit Ready(std::shared_ptr<Graph> own)
            : graph(std::move(own)), order(graph->order()), hasFunction(hostcuda::hasFunction(*graph)) {}
        std::shared_ptr<Graph> graph;
        std::vector<Node*> order;
        bool hasFunction;
    };

    void take(Graph const& graph) {
        ready_ = std::make_shared<Ready>(graph.clone());
        originals_.clear();
        for (auto const& node : graph.nodes()) originals_.push_back(node.get());
    }

    mutable std::mutex mutex_;
    unsigned long long const flags_;
    std::shared_ptr<Ready const> ready_;
    std::vector<Node const*> originals_; // may no longer exist
    Mark last_;
};

// Never destroyed: calls may come from the destructors of other globals.
Handles<Executable>& handles() {
    static Handles<Executable>& instance = *new Handles<Executable>(cudaErrorInvalidValue);
    return instance;
}

void instantiate(cudaGraphExec_t* result, cudaGraph_t graph, unsigned long long flags) {
    require(result != nullptr && (flags & ~kFlags) == 0); // launches by a device are not supported
    *result = static_cast<cudaGraphExec_t>(handles().add(std::make_shared<Executable>(*graphs().find(graph), flags)));
}

cudaGraphExecUpdateResult update(cudaGraphExec_t exec, cudaGraph_t graph) {
    return handles().find(exec)->update(*graphs().find(graph));
}

void requireUpdated(cudaGraphExecUpdateResult result) {
    require(result == cudaGraphExecUpdateSuccess, cudaErrorGraphExecUpdateFailure);
}

// In a stream that is being captured the graph becomes a part of the other.
void launch(cudaGraphExec_t exec, cudaStream_t stream) {
    auto const executable = handles().find(exec);
    auto const found = findStream(stream);
    refuseWhileCaptured(*found);
    executable->launch(found);
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

HOSTCUDA_IN_11(cudaGraphInstantiate, "hostcuda_graphInstantiate11");
HOSTCUDA_IN_12(cudaGraphInstantiate);
HOSTCUDA_IN_13(cudaGraphInstantiate, "hostcuda_cudaGraphInstantiate");
HOSTCUDA_DEFINE(cudaError_t, cudaGraphInstantiate)
(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, unsigned long long flags) {
    return call([&] { instantiate(pGraphExec, graph, flags); });
}

// Until 11 it returned the wrong node and a text; in 12 it has flags.
extern "C" __attribute__((visibility("default"))) cudaError_t hostcuda_graphInstantiate11(cudaGraphExec_t* pGraphExec,
                                                                                          cudaGraph_t graph,
                                                                                          cudaGraphNode_t* errorNode,
                                                                                          char* log, size_t bytes) {
    if (errorNode != nullptr) *errorNode = nullptr;
    if (log != nullptr && bytes > 0) *log = '\0';
    return hostcuda_cudaGraphInstantiate(pGraphExec, graph, 0);
}

CUDART(cudaGraphInstantiateWithFlags)(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, unsigned long long flags) {
    return call([&] { instantiate(pGraphExec, graph, flags); });
}

CUDART_ON_STREAM(cudaGraphInstantiateWithParams,
                 (cudaGraphExec_t * pGraphExec, cudaGraph_t graph, cudaGraphInstantiateParams* instantiateParams),
                 (pGraphExec, graph, instantiateParams)) {
    return call([&] {
        require(instantiateParams != nullptr);
        instantiateParams->errNode_out = nullptr;
        instantiateParams->result_out = cudaGraphInstantiateError;
        instantiate(pGraphExec, graph, instantiateParams->flags);
        instantiateParams->result_out = cudaGraphInstantiateSuccess;
    });
}

CUDART(cudaGraphExecDestroy)(cudaGraphExec_t graphExec) {
    return callAlways([&] { handles().remove(graphExec); });
}

CUDART(cudaGraphExecGetFlags)(cudaGraphExec_t graphExec, unsigned long long* flags) {
    return call([&] {
        require(flags != nullptr);
        *flags = handles().find(graphExec)->flags();
    });
}

CUDART_ON_STREAM(cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream)) {
    return call([&] {
        handles().find(graphExec);
        findStream(stream);
    });
}

CUDART_ON_STREAM(cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream)) {
    return call([&] { launch(graphExec, stream); });
}

HOSTCUDA_IN_11(cudaGraphExecUpdate, "hostcuda_graphExecUpdate11");
HOSTCUDA_IN_12(cudaGraphExecUpdate);
HOSTCUDA_IN_13(cudaGraphExecUpdate, "hostcuda_cudaGraphExecUpdate");
HOSTCUDA_DEFINE(cudaError_t, cudaGraphExecUpdate)
(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphExecUpdateResultInfo* resultInfo) {
    return call([&] {
        require(resultInfo != nullptr);
        *resultInfo = {cudaGraphExecUpdateError, nullptr, nullptr};
        resultInfo->result = update(hGraphExec, hGraph);
        requireUpdated(resultInfo->result);
    });
}

extern "C" __attribute__((visibility("default"))) cudaError_t
hostcuda_graphExecUpdate11(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphNode_t* errorNode,
                           cudaGraphExecUpdateResult* result) {
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t const status = hostcuda_cudaGraphExecUpdate(hGraphExec, hGraph, &info);
    if (errorNode != nullptr) *errorNode = nullptr;
    if (result != nullptr) *result = info.result;
    return status;
}

// ---- parameters of single nodes

namespace {

template <class Kind> void setNode(cudaGraphExec_t exec, cudaGraphNode_t node, Kind operation) {
    handles().find(exec)->set(node, std::move(operation));
}

} // namespace

CUDART(cudaGraphExecHostNodeSetParams)
(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaHostNodeParams const* pNodeParams) {
    return call([&] {
        require(pNodeParams != nullptr && pNodeParams->fn != nullptr);
        setNode(hGraphExec, node, HostFunction{pNodeParams->fn, pNodeParams->userData});
    });
}

CUDART(cudaGraphExecMemcpyNodeSetParams)
(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaMemcpy3DParms const* pNodeParams) {
    return call([&] {
        require(pNodeParams != nullptr);
        Copy const copy = copyOf(*pNodeParams);
        check(copy);
        setNode(hGraphExec, node, copy);
    });
}

CUDART(cudaGraphExecMemcpyNodeSetParams1D)
(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst, void const* src, size_t count, cudaMemcpyKind kind) {
    return call([&] {
        Copy const copy{Place::row(dst), Place::row(src), {count, 1, 1}, kind};
        check(copy);
        setNode(hGraphExec, node, copy);
    });
}

CUDART(cudaGraphExecMemsetNodeSetParams)
(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaMemsetParams const* pNodeParams) {
    return call([&] {
        require(pNodeParams != nullptr);
        Fill const fill = fillOf(*pNodeParams);
        check(fill);
        setNode(hGraphExec, node, fill);
    });
}

CUDART(cudaGraphExecChildGraphNodeSetParams)
(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, cudaGraph_t childGraph) {
    return call([&] { setNode(hGraphExec, node, ChildGraph{graphs().find(childGraph)->clone()}); });
}

CUDART(cudaGraphExecEventRecordNodeSetEvent)(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event) {
    return call([&] { setNode(hGraphExec, hNode, RecordEvent{event}); });
}

CUDART(cudaGraphExecEventWaitNodeSetEvent)(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode, cudaEvent_t event) {
    return call([&] { setNode(hGraphExec, hNode, WaitEvent{event}); });
}
