// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "capture.h"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>
#include <unordered_set>

#include "export.h"
#include "status.h"

// The headers' name of this is a macro.
#undef cudaStreamGetCaptureInfo

namespace hostcuda {

class Capture {
public:
    uint64_t id = 0;
    std::shared_ptr<Graph> graph;
    bool ownsGraph = true; // until it is returned
    std::shared_ptr<Stream> origin;
    cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
    std::thread::id thread = std::this_thread::get_id();
    bool isValid = true;
    std::map<std::shared_ptr<Stream const>, std::vector<Node*>> ends; // of the participating streams
};

namespace {

// Never destroyed: calls may come from the destructors of other globals.
struct Captures {
    std::mutex mutex; // guards all captures and their graphs
    std::vector<std::shared_ptr<Capture>> active;
    std::atomic<size_t> count{0}; // of them, to be read without the lock
    uint64_t ids = 0;
};

Captures& captures() {
    static Captures& instance = *new Captures;
    return instance;
}

thread_local cudaStreamCaptureMode modeOfThread = cudaStreamCaptureModeGlobal;

std::vector<Node*>* endsOf(Capture& capture, Stream const& stream) {
    for (auto& [each, ends] : capture.ends) {
        if (each.get() == &stream) return &ends;
    }
    return nullptr;
}

// Null if the stream is not being captured. Under the lock.
std::shared_ptr<Capture> find(Stream const& stream) {
    auto const& active = captures().active;
    auto const found =
        std::ranges::find_if(active, [&](auto const& capture) { return endsOf(*capture, stream) != nullptr; });
    return found == active.end() ? nullptr : *found;
}

// The same, if it is still valid.
std::shared_ptr<Capture> findValid(Stream const& stream) {
    auto capture = find(stream);
    if (capture != nullptr) require(capture->isValid, cudaErrorStreamCaptureInvalidated);
    return capture;
}

template <class Accepts> void spoil(Accepts accepts, cudaError_t code) {
    bool any = false;
    for (auto const& capture : captures().active) {
        if (!accepts(*capture)) continue;
        capture->isValid = false;
        any = true;
    }
    require(!any, code);
}

bool hasBlockingStream(Capture const& capture) {
    return std::ranges::any_of(capture.ends,
                               [](auto const& entry) { return entry.first->order() == Stream::Order::blocking; });
}

// The legacy default stream waits for all blocking ones, which a graph cannot express.
void refuseImplied(Stream const& stream) {
    if (stream.order() == Stream::Order::legacy) spoil(hasBlockingStream, cudaErrorStreamCaptureImplicit);
}

// True where it became a node.
bool record(Stream const& stream, Operation const& operation) {
    if (captures().count == 0) return false;
    std::lock_guard const lock(captures().mutex);
    refuseImplied(stream);
    auto const capture = findValid(stream);
    if (capture == nullptr) return false;
    std::vector<Node*>& ends = *endsOf(*capture, stream);
    ends = {capture->graph->add(operation, ends)};
    return true;
}

bool isForNoDevice(Operation const& operation) { return std::holds_alternative<HostFunction>(operation); }

} // namespace

Mark submit(std::shared_ptr<Stream> const& stream, Operation const& operation) {
    if (record(*stream, operation)) return {};
    auto work = [operation, &here = *stream] { perform(operation, here); }; // the worker keeps it alive
    return isForNoDevice(operation) ? stream->submitElsewhere(work) : stream->submit(work);
}

std::shared_ptr<CapturedPoint const> pointIn(Stream const& stream) {
    if (captures().count == 0) return nullptr;
    std::lock_guard const lock(captures().mutex);
    refuseImplied(stream);
    auto const capture = findValid(stream);
    if (capture == nullptr) return nullptr;
    return std::make_shared<CapturedPoint>(CapturedPoint{capture, *endsOf(*capture, stream)});
}

void waitFor(std::shared_ptr<Stream> const& stream, CapturedPoint const& point) {
    std::lock_guard const lock(captures().mutex);
    auto const capture = point.capture.lock();
    require(capture != nullptr && std::ranges::count(captures().active, capture) == 1, cudaErrorCapturedEvent);
    require(stream->order() != Stream::Order::legacy, cudaErrorStreamCaptureImplicit);
    auto const other = findValid(*stream);
    if (other != nullptr && other != capture) {
        other->isValid = capture->isValid = false;
        throw Failure{cudaErrorStreamCaptureMerge};
    }
    require(capture->isValid, cudaErrorStreamCaptureInvalidated);
    std::vector<Node*>& ends = capture->ends[stream];
    for (Node* node : point.ends) {
        if (std::ranges::count(ends, node) == 0) ends.push_back(node);
    }
}

void refuseWhileCaptured(Stream const& stream) {
    if (captures().count == 0) return;
    std::lock_guard const lock(captures().mutex);
    refuseImplied(stream);
    spoil([&](Capture& capture) { return endsOf(capture, stream) != nullptr; }, cudaErrorStreamCaptureUnsupported);
}

void refuseUncaptured(Stream const& stream) {
    std::lock_guard const lock(captures().mutex);
    spoil([&](Capture& capture) { return endsOf(capture, stream) != nullptr; }, cudaErrorStreamCaptureIsolation);
    throw Failure{cudaErrorStreamCaptureIsolation};
}

void refuseWhileAnyCaptured() {
    if (captures().count == 0) return;
    std::lock_guard const lock(captures().mutex);
    spoil([](Capture const&) { return true; }, cudaErrorStreamCaptureUnsupported);
}

void refuseUnsafe() {
    if (captures().count == 0 || modeOfThread == cudaStreamCaptureModeRelaxed || isAtWork()) return;
    std::lock_guard const lock(captures().mutex);
    auto const forbids = [](Capture const& capture) {
        if (capture.mode == cudaStreamCaptureModeRelaxed) return false;
        bool const isForAll =
            capture.mode == cudaStreamCaptureModeGlobal && modeOfThread == cudaStreamCaptureModeGlobal;
        return isForAll || capture.thread == std::this_thread::get_id();
    };
    spoil(forbids, cudaErrorStreamCaptureUnsupported);
}

void refuseCaptured(CapturedPoint const& point) {
    std::lock_guard const lock(captures().mutex);
    auto const captured = point.capture.lock();
    spoil([&](Capture const& capture) { return &capture == captured.get(); }, cudaErrorCapturedEvent);
    throw Failure{cudaErrorCapturedEvent};
}

namespace {

// Removes it from the list of captures, under the lock.
void end(Capture const& capture) {
    std::erase_if(captures().active, [&](auto const& each) { return each.get() == &capture; });
    captures().count = captures().active.size();
}

void forget(Capture const& capture) {
    end(capture);
    if (capture.ownsGraph) graphs().remove(capture.graph.get());
}

void begin(cudaStream_t handle, cudaStreamCaptureMode mode, std::shared_ptr<Graph> graph, std::vector<Node*> ends) {
    require(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed);
    auto const stream = findStream(handle);
    require(stream->order() != Stream::Order::legacy, cudaErrorStreamCaptureUnsupported);
    std::lock_guard const lock(captures().mutex);
    require(find(*stream) == nullptr, cudaErrorIllegalState);
    auto capture = std::make_shared<Capture>();
    capture->id = ++captures().ids;
    capture->ownsGraph = graph == nullptr;
    capture->graph = graph != nullptr ? std::move(graph) : std::make_shared<Graph>();
    capture->origin = stream;
    capture->mode = mode;
    capture->ends[stream] = std::move(ends);
    if (capture->ownsGraph) graphs().add(capture->graph);
    captures().active.push_back(std::move(capture));
    captures().count = captures().active.size();
}

// The next node of the capture's first stream comes after the last nodes of all its streams.
bool isJoined(Capture& capture) {
    std::unordered_set<Node const*> before;
    std::vector<Node*> open = *endsOf(capture, *capture.origin);
    while (!open.empty()) {
        Node* const node = open.back();
        open.pop_back();
        if (before.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
    }
    return std::ranges::all_of(capture.ends, [&](auto const& entry) {
        return std::ranges::all_of(entry.second, [&](Node const* node) { return before.contains(node); });
    });
}

cudaGraph_t endCapture(cudaStream_t handle) {
    auto const stream = findStream(handle);
    std::lock_guard const lock(captures().mutex);
    auto const capture = find(*stream);
    require(capture != nullptr, cudaErrorIllegalState);
    bool const anyThread = capture->mode == cudaStreamCaptureModeRelaxed;
    if (!anyThread && capture->thread != std::this_thread::get_id()) {
        forget(*capture);
        throw Failure{cudaErrorStreamCaptureWrongThread};
    }
    if (capture->origin != stream) {
        capture->isValid = false;
        throw Failure{cudaErrorStreamCaptureUnmatched};
    }
    if (!capture->isValid || !isJoined(*capture)) {
        forget(*capture);
        throw Failure{capture->isValid ? cudaErrorStreamCaptureUnjoined : cudaErrorStreamCaptureInvalidated};
    }
    end(*capture);
    return reinterpret_cast<cudaGraph_t>(capture->graph.get());
}

// The results of a query of a stream's capture; null: not wanted.
struct Answer {
    cudaStreamCaptureStatus* status;
    unsigned long long* id = nullptr;
    cudaGraph_t* graph = nullptr;
    cudaGraphNode_t const** dependencies = nullptr;
    void const** edges = nullptr;
    size_t* count = nullptr;
};

cudaStreamCaptureStatus statusOf(Capture const* capture) {
    if (capture == nullptr) return cudaStreamCaptureStatusNone;
    return capture->isValid ? cudaStreamCaptureStatusActive : cudaStreamCaptureStatusInvalidated;
}

void tell(cudaStream_t handle, Answer const& answer) {
    require(answer.status != nullptr);
    auto const stream = findStream(handle);
    std::lock_guard const lock(captures().mutex);
    refuseImplied(*stream);
    auto const capture = find(*stream);
    *answer.status = statusOf(capture.get());
    if (*answer.status != cudaStreamCaptureStatusActive) return;
    std::vector<Node*> const& ends = *endsOf(*capture, *stream);
    if (answer.id != nullptr) *answer.id = capture->id;
    if (answer.graph != nullptr) *answer.graph = reinterpret_cast<cudaGraph_t>(capture->graph.get());
    if (answer.dependencies != nullptr) *answer.dependencies = reinterpret_cast<cudaGraphNode_t const*>(ends.data());
    if (answer.edges != nullptr) *answer.edges = nullptr; // all are plain
    if (answer.count != nullptr) *answer.count = ends.size();
}

void update(cudaStream_t handle, cudaGraphNode_t const* nodes, size_t count, unsigned flags) {
    require(flags == cudaStreamAddCaptureDependencies || flags == cudaStreamSetCaptureDependencies);
    auto const stream = findStream(handle);
    std::lock_guard const lock(captures().mutex);
    auto const capture = findValid(*stream);
    require(capture != nullptr, cudaErrorIllegalState);
    std::vector<Node*> const given = findNodes(nodes, count);
    require(std::ranges::all_of(given, [&](Node const* node) { return node->graph == capture->graph.get(); }));
    std::vector<Node*>& ends = *endsOf(*capture, *stream);
    if (flags == cudaStreamSetCaptureDependencies) ends.clear();
    ends.insert(ends.end(), given.begin(), given.end());
}

} // namespace

void abandonCapture(Stream const& stream) {
    if (captures().count == 0) return;
    std::lock_guard const lock(captures().mutex);
    auto const capture = find(stream);
    if (capture == nullptr) return;
    capture->isValid = false;
    if (capture->origin.get() == &stream) forget(*capture);
}

void abandonCaptures() {
    std::lock_guard const lock(captures().mutex);
    while (!captures().active.empty()) forget(*std::shared_ptr<Capture>(captures().active.back()));
}

} // namespace hostcuda

using namespace hostcuda;

CUDART_ON_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, cudaStreamCaptureMode mode), (stream, mode)) {
    return call([&] { begin(stream, mode, nullptr, {}); });
}

CUDART_ON_STREAM(cudaStreamBeginCaptureToGraph,
                 (cudaStream_t stream, cudaGraph_t graph, cudaGraphNode_t const* dependencies,
                  cudaGraphEdgeData const* /*edges*/, size_t numDependencies, cudaStreamCaptureMode mode),
                 (stream, graph, dependencies, nullptr, numDependencies, mode)) {
    return call([&] { begin(stream, mode, graphs().find(graph), findNodes(dependencies, numDependencies)); });
}

CUDART_ON_STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t* pGraph), (stream, pGraph)) {
    return call([&] {
        require(pGraph != nullptr);
        *pGraph = nullptr;
        *pGraph = endCapture(stream);
    });
}

CUDART_ON_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus),
                 (stream, pCaptureStatus)) {
    return call([&] { tell(stream, {pCaptureStatus}); });
}

CUDART(cudaThreadExchangeStreamCaptureMode)(cudaStreamCaptureMode* mode) {
    return call([&] {
        require(mode != nullptr && *mode >= cudaStreamCaptureModeGlobal && *mode <= cudaStreamCaptureModeRelaxed);
        std::swap(*mode, modeOfThread);
    });
}

// The name without a version number requested only the id until 12, and means the newest in 13.
HOSTCUDA_IN_11(cudaStreamGetCaptureInfo, "hostcuda_cudaStreamGetCaptureInfo");
HOSTCUDA_IN_12(cudaStreamGetCaptureInfo);
HOSTCUDA_IN_13(cudaStreamGetCaptureInfo, "hostcuda_cudaStreamGetCaptureInfo_v3");
HOSTCUDA_IN_11(cudaStreamGetCaptureInfo_ptsz, "hostcuda_cudaStreamGetCaptureInfo_ptsz");
HOSTCUDA_IN_12(cudaStreamGetCaptureInfo_ptsz);
HOSTCUDA_IN_13(cudaStreamGetCaptureInfo_ptsz, "hostcuda_cudaStreamGetCaptureInfo_v3_ptsz");
HOSTCUDA_TWICE_HIDDEN(cudaStreamGetCaptureInfo, cudaStreamGetCaptureInfo_ptsz,
                      (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id),
                      (stream, status, id)) {
    return call([&] { tell(stream, {status, id}); });
}

HOSTCUDA_IN_ALL(cudaStreamGetCaptureInfo_v2);
HOSTCUDA_IN_ALL(cudaStreamGetCaptureInfo_v2_ptsz);
HOSTCUDA_TWICE_HIDDEN(cudaStreamGetCaptureInfo_v2, cudaStreamGetCaptureInfo_v2_ptsz,
                      (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                       cudaGraphNode_t const** dependencies, size_t* count),
                      (stream, status, id, graph, dependencies, count)) {
    return call([&] { tell(stream, {status, id, graph, dependencies, nullptr, count}); });
}

HOSTCUDA_IN_ALL(cudaStreamGetCaptureInfo_v3);
HOSTCUDA_IN_ALL(cudaStreamGetCaptureInfo_v3_ptsz);
HOSTCUDA_TWICE_HIDDEN(cudaStreamGetCaptureInfo_v3, cudaStreamGetCaptureInfo_v3_ptsz,
                      (cudaStream_t stream, cudaStreamCaptureStatus* status, unsigned long long* id, cudaGraph_t* graph,
                       cudaGraphNode_t const** dependencies, void const** edges, size_t* count),
                      (stream, status, id, graph, dependencies, edges, count)) {
    return call([&] { tell(stream, {status, id, graph, dependencies, edges, count}); });
}

HOSTCUDA_IN_11(cudaStreamUpdateCaptureDependencies, "hostcuda_cudaStreamUpdateCaptureDependencies");
HOSTCUDA_IN_12(cudaStreamUpdateCaptureDependencies);
HOSTCUDA_IN_13(cudaStreamUpdateCaptureDependencies, "hostcuda_cudaStreamUpdateCaptureDependencies_v2");
HOSTCUDA_IN_11(cudaStreamUpdateCaptureDependencies_ptsz, "hostcuda_cudaStreamUpdateCaptureDependencies_ptsz");
HOSTCUDA_IN_12(cudaStreamUpdateCaptureDependencies_ptsz);
HOSTCUDA_IN_13(cudaStreamUpdateCaptureDependencies_ptsz, "hostcuda_cudaStreamUpdateCaptureDependencies_v2_ptsz");
HOSTCUDA_TWICE_HIDDEN(cudaStreamUpdateCaptureDependencies, cudaStreamUpdateCaptureDependencies_ptsz,
                      (cudaStream_t stream, cudaGraphNode_t* dependencies, size_t count, unsigned flags),
                      (stream, dependencies, count, flags)) {
    return call([&] { update(stream, dependencies, count, flags); });
}

HOSTCUDA_IN_ALL(cudaStreamUpdateCaptureDependencies_v2);
HOSTCUDA_IN_ALL(cudaStreamUpdateCaptureDependencies_v2_ptsz);
HOSTCUDA_TWICE_HIDDEN(cudaStreamUpdateCaptureDependencies_v2, cudaStreamUpdateCaptureDependencies_v2_ptsz,
                      (cudaStream_t stream, cudaGraphNode_t* dependencies, void const* /*edges*/, size_t count,
                       unsigned flags),
                      (stream, dependencies, nullptr, count, flags)) {
    return call([&] { update(stream, dependencies, count, flags); });
}

// For libraries that compute on the CPU in place of a device: like cudaLaunchHostFunc, but the work may run immediately
// on the calling thread, may call the runtime, and returns 0 or an error that becomes sticky.
CUDART_HIDDEN(cudaError_t, hostcudaLaunchWork)(cudaStream_t stream, int (*work)(void*), void* data) {
    return call([&] {
        require(work != nullptr);
        submit(findStream(stream), DeviceWork{work, data});
    });
}
