// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application that runs an engine on several threads and then forks: the child runs it too, in the thread that
// forked and in one of its own, and builds another.
#include "NvInfer.h"

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace nvinfer1;

constexpr int kChannels = 32;
constexpr int kExtent = 64;
constexpr unsigned kSeconds = 60; // until a hanging child is terminated

class Logger final : public ILogger {
public:
    void log(Severity severity, char const* message) noexcept override {
        if (severity <= Severity::kERROR) std::printf("the library said: %s\n", message);
    }
};
Logger logger;

std::vector<float> filled(size_t count) {
    std::vector<float> values(count);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i * 7 % 13) / 13 - .5F;
    return values;
}

/// y = conv(sin(x)): oneDNN's threads, and our own
std::unique_ptr<ICudaEngine> build(IRuntime& runtime) {
    std::unique_ptr<IBuilder> const builder(createInferBuilder(logger));
    builder->setMaxThreads(4);
    std::unique_ptr<INetworkDefinition> const network(builder->createNetworkV2(0));
    ITensor* const x = network->addInput("x", DataType::kFLOAT, Dims4(1, kChannels, kExtent, kExtent));
    auto const kernel = filled(static_cast<size_t>(kChannels * kChannels * 9));
    Weights const weights{DataType::kFLOAT, kernel.data(), static_cast<int64_t>(kernel.size())};
    ITensor* const sine = network->addUnary(*x, UnaryOperation::kSIN)->getOutput(0);
    ITensor* const y = network->addConvolutionNd(*sine, kChannels, DimsHW(3, 3), weights, {})->getOutput(0);
    y->setName("y");
    network->markOutput(*y);
    std::unique_ptr<IBuilderConfig> const config(builder->createBuilderConfig());
    std::unique_ptr<IHostMemory> const plan(builder->buildSerializedNetwork(*network, *config));
    return std::unique_ptr<ICudaEngine>(plan ? runtime.deserializeCudaEngine(plan->data(), plan->size()) : nullptr);
}

std::vector<float> run(IExecutionContext& context) {
    auto x = filled(static_cast<size_t>(kChannels) * kExtent * kExtent);
    std::vector<float> y(static_cast<size_t>(kChannels) * (kExtent - 2) * (kExtent - 2));
    context.setTensorAddress("x", x.data());
    context.setTensorAddress("y", y.data());
    if (!context.enqueueV3(nullptr)) y.clear();
    return y;
}

int fail(char const* what) { return std::printf("failed: %s\n", what), 1; }

int beTheChild(IRuntime& runtime, IExecutionContext& context, std::vector<float> const& expected) {
    alarm(kSeconds);
    if (run(context) != expected) return fail("the engine in the child");
    std::vector<float> found;
    std::thread([&] { found = run(context); }).join();
    if (found != expected) return fail("the engine in a thread of the child");
    auto const engine = build(runtime);
    if (!engine) return fail("building in the child");
    std::unique_ptr<IExecutionContext> const another(engine->createExecutionContext());
    return run(*another) == expected ? 0 : fail("another engine in the child");
}

} // namespace

int main() {
    setenv("TENON_DEVICE", "cpu", 1);
    std::unique_ptr<IRuntime> const runtime(createInferRuntime(logger));
    runtime->setMaxThreads(4);
    auto const engine = build(*runtime);
    if (!engine) return fail("build");
    std::unique_ptr<IExecutionContext> const context(engine->createExecutionContext());
    auto const expected = run(*context);
    if (expected.empty()) return fail("run");
    std::fflush(stdout);
    pid_t const child = fork();
    if (child == 0) {
        int const status = beTheChild(*runtime, *context, expected);
        std::fflush(stdout);
        _exit(status);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) return fail("the child hangs, or was ended by a signal");
    if (WEXITSTATUS(status) != 0) return 1;
    return run(*context) == expected ? 0 : fail("the engine in the parent, afterwards");
}
