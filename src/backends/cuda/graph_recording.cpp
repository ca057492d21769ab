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

struct OwnGraph {
    ~OwnGraph() {
        if (graph) cudaGraphDestroy(graph);
    }
    cudaGraph_t graph = nullptr;
};

} // namespace

std::unique_ptr<Recording> recordGraph(std::function<void(void* stream)> const& work) {
    auto const own = backend().makeStream(); // it contains nothing else
    cudaStream_t const stream = streamOf(own.get());
    OwnGraph made;
    // Thread-local: the application's other threads are not affected.
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    bool done = true;
    try {
        work(stream);
    } catch (Error const&) {
        done = false; // the run without recording reports the error, if any
    }
    cudaError_t const status = cudaStreamEndCapture(stream, &made.graph);
    if (!done || status != cudaSuccess || made.graph == nullptr) {
        cudaGetLastError();
        return nullptr;
    }
    return std::make_unique<GraphRecording>(made.graph);
}

} // namespace tenon::cuda
