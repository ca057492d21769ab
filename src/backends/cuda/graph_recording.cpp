// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/graph_recording.h"

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/status.h"

namespace tenon::cuda {
namespace {

class GraphRecording final : public Recording {
public:
    explicit GraphRecording(cudaGraph_t graph) {
        check(cudaGraphInstantiate(&executable_, graph, 0), "cudaGraphInstantiate");
    }
    ~GraphRecording() override { cudaGraphExecDestroy(executable_); }
    GraphRecording(GraphRecording const&) = delete;
    GraphRecording& operator=(GraphRecording const&) = delete;

    void replay(void* stream) override { check(cudaGraphLaunch(executable_, streamOf(stream)), "cudaGraphLaunch"); }

private:
    cudaGraphExec_t executable_ = nullptr;
};

/// A stream that nothing else is in.
struct OwnStream {
    OwnStream() { check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags"); }
    ~OwnStream() { cudaStreamDestroy(stream); }
    OwnStream(OwnStream const&) = delete;
    OwnStream& operator=(OwnStream const&) = delete;
    cudaStream_t stream = nullptr;
};

struct OwnGraph {
    ~OwnGraph() {
        if (graph) cudaGraphDestroy(graph);
    }
    cudaGraph_t graph = nullptr;
};

} // namespace

std::unique_ptr<Recording> recordGraph(std::function<void(void* stream)> const& work) {
    OwnStream const own;
    OwnGraph made;
    // Thread-local: what the program's other threads do meanwhile is their own affair.
    check(cudaStreamBeginCapture(own.stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    bool done = true;
    try {
        work(own.stream);
    } catch (Error const&) {
        done = false; // the plain run will say what is wrong, if anything is
    }
    cudaError_t const status = cudaStreamEndCapture(own.stream, &made.graph);
    if (!done || status != cudaSuccess || made.graph == nullptr) {
        cudaGetLastError();
        return nullptr;
    }
    return std::make_unique<GraphRecording>(made.graph);
}

} // namespace tenon::cuda
