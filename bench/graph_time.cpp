// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Times an engine on a GPU as a part of a larger CUDA graph: many runs are captured in sequence, and the graph is
// replayed.
//
//   bench_graph_time ENGINE SECONDS PLUGINS.so INPUT:FILE...      the elements of each input, in its memory layout
//
// Prints the median microseconds of one run.

#include <NvInferRuntime.h>

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kRuns = 20; // in the graph

class Logger final : public nvinfer1::ILogger {
    void log(Severity severity, char const* text) noexcept override {
        if (severity <= Severity::kWARNING) std::fprintf(stderr, "%s\n", text);
    }
};

void check(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(cudaGetErrorString(status));
}

template <class T> T* expect(T* made, char const* what) {
    if (made == nullptr) throw std::runtime_error(std::string(what) + " failed");
    return made;
}

std::vector<char> readFile(std::string const& path) {
    std::ifstream stream(path, std::ios::binary);
    if (!stream) throw std::runtime_error(path + " cannot be read");
    return {std::istreambuf_iterator<char>(stream), {}};
}

void* onDevice(std::vector<char> const& bytes) {
    void* memory = nullptr;
    check(cudaMalloc(&memory, std::max<size_t>(bytes.size(), 1)));
    check(cudaMemcpy(memory, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
    return memory;
}

/// Inputs with the files' contents, outputs of the largest size.
void bindAll(nvinfer1::ICudaEngine& engine, nvinfer1::IExecutionContext& context,
             std::map<std::string, std::string> const& files) {
    constexpr int64_t kWidest = 8; // bytes of an element
    for (int32_t i = 0; i < engine.getNbIOTensors(); ++i) {
        char const* const name = engine.getIOTensorName(i);
        bool const isInput = engine.getTensorIOMode(name) == nvinfer1::TensorIOMode::kINPUT;
        int64_t const bytes = isInput ? 0 : context.getMaxOutputSize(name) + kWidest;
        std::vector<char> const values = isInput ? readFile(files.at(name)) : std::vector<char>(size_t(bytes));
        if (!context.setTensorAddress(name, onDevice(values))) throw std::runtime_error(name);
    }
}

cudaGraphExec_t captured(nvinfer1::IExecutionContext& context, cudaStream_t stream) {
    for (int i = 0; i < 3; ++i) { // a capture cannot contain the preparation of a first run
        if (!context.enqueueV3(stream)) throw std::runtime_error("a run failed");
    }
    check(cudaStreamSynchronize(stream));
    check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    for (int i = 0; i < kRuns; ++i) {
        if (!context.enqueueV3(stream)) throw std::runtime_error("a run failed in a capture");
    }
    cudaGraph_t graph = nullptr;
    check(cudaStreamEndCapture(stream, &graph));
    cudaGraphExec_t made = nullptr;
    check(cudaGraphInstantiate(&made, graph, 0));
    return made;
}

double medianMicroseconds(cudaGraphExec_t graph, cudaStream_t stream, double seconds) {
    cudaEvent_t begin = nullptr, end = nullptr;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    std::vector<float> times;
    auto const start = std::chrono::steady_clock::now();
    while (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds ||
           times.size() < 10) {
        check(cudaEventRecord(begin, stream));
        check(cudaGraphLaunch(graph, stream));
        check(cudaEventRecord(end, stream));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        times.push_back(milliseconds);
    }
    std::nth_element(times.begin(), times.begin() + long(times.size() / 2), times.end());
    return double(times[times.size() / 2]) * 1e3 / kRuns;
}

void run(std::vector<std::string> const& words) {
    if (words.size() < 3) throw std::invalid_argument("usage: ENGINE SECONDS PLUGINS.so INPUT:FILE...");
    std::map<std::string, std::string> files;
    for (size_t i = 3; i < words.size(); ++i)
        files[words[i].substr(0, words[i].find(':'))] = words[i].substr(words[i].find(':') + 1);
    Logger logger;
    std::unique_ptr<nvinfer1::IRuntime> const runtime(expect(nvinfer1::createInferRuntime(logger), "the runtime"));
    expect(runtime->getPluginRegistry().loadLibrary(words[2].c_str()), "the plugin library");
    std::vector<char> const file = readFile(words[0]);
    std::unique_ptr<nvinfer1::ICudaEngine> const engine(
        expect(runtime->deserializeCudaEngine(file.data(), file.size()), "the engine"));
    std::unique_ptr<nvinfer1::IExecutionContext> const context(expect(engine->createExecutionContext(), "the context"));
    bindAll(*engine, *context, files);
    cudaStream_t stream = nullptr;
    check(cudaStreamCreate(&stream));
    std::printf("%.2f\n", medianMicroseconds(captured(*context, stream), stream, std::stod(words[1])));
}

} // namespace

int main(int count, char** words) {
    try {
        run({words + 1, words + count});
    } catch (std::exception const& error) {
        std::fprintf(stderr, "bench_graph_time: %s\n", error.what());
        return 1;
    }
    return 0;
}
