// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The test program has a CUDA runtime of its own, a few functions large, that engines on the CPU find in the process.

#include "support/api.h"
#include "support/api_plugins.h"
#include "support/fake_plugin.h"
#include "trt/plugin/plugin_call.h"

namespace tenon {
namespace {

using namespace nvinfer1;

struct Calls {
    cudaStream_t waited = nullptr;
    cudaEvent_t recorded = nullptr;
    void const* onDevice = nullptr; // memory that only a device can read
    int status = 0;
    int lastError = 0;
    bool isCapturing = false;
} calls;

} // namespace
} // namespace tenon

// By assembler label, because a toolkit's headers may declare these names.
[[gnu::visibility("default")]] int synchronizeStream(cudaStream_t stream) __asm__("cudaStreamSynchronize");
[[gnu::visibility("default")]] int recordEvent(cudaEvent_t event, cudaStream_t stream) __asm__("cudaEventRecord");
[[gnu::visibility("default")]] int attributesOf(int* attributes, void const* p) __asm__("cudaPointerGetAttributes");
[[gnu::visibility("default")]] int peekAtLastError() __asm__("cudaPeekAtLastError");
[[gnu::visibility("default")]] char const* errorName(int error) __asm__("cudaGetErrorName");

[[gnu::visibility("default")]] int isCapturing(cudaStream_t stream, int* status) __asm__("cudaStreamIsCapturing");

int isCapturing(cudaStream_t, int* status) {
    *status = tenon::calls.isCapturing ? 1 : 0;
    return 0;
}

int synchronizeStream(cudaStream_t stream) {
    tenon::calls.waited = stream;
    return tenon::calls.status;
}

int recordEvent(cudaEvent_t event, cudaStream_t) {
    tenon::calls.recorded = event;
    return tenon::calls.status;
}

int attributesOf(int* attributes, void const* p) {
    *attributes = p == tenon::calls.onDevice ? 2 : 0;
    return tenon::calls.status;
}

int peekAtLastError() { return tenon::calls.lastError; }
char const* errorName(int error) { return error == 9 ? "cudaErrorInvalidConfiguration" : "another"; }

namespace tenon {
namespace {

/// y = exp(x), x [2].
struct ProgramCudaTest : testing::Test {
    static std::unique_ptr<IHostMemory> file() {
        test::Defining d;
        d.output(d.network->addUnary(d.input("x", {2}), UnaryOperation::kEXP)->getOutput(0));
        return d.build();
    }
    void SetUp() override {
        calls = {};
        r.context->setTensorAddress("x", x);
        r.context->setTensorAddress("y", y);
    }

    test::Running r{*file()};
    float x[2] = {0, 1}, y[2] = {};
    cudaStream_t stream = reinterpret_cast<cudaStream_t>(0x10);
    cudaEvent_t event = reinterpret_cast<cudaEvent_t>(0x20);
};

TEST_F(ProgramCudaTest, anEngineOnTheCpuComesAfterWhatIsInTheStream) {
    EXPECT_TRUE(r.context->enqueueV3(stream));
    EXPECT_EQ(calls.waited, stream);
    calls.status = 700;
    EXPECT_FALSE(r.context->enqueueV3(stream));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: cudaStreamSynchronize returned CUDA error 700");
}

TEST_F(ProgramCudaTest, marksThatTheInputsAreConsumed) {
    EXPECT_TRUE(r.context->setInputConsumedEvent(event));
    EXPECT_EQ(r.context->getInputConsumedEvent(), event);
    EXPECT_TRUE(r.context->enqueueV3(stream));
    EXPECT_EQ(calls.recorded, event);
    calls.recorded = nullptr;
    EXPECT_TRUE(r.context->setInputConsumedEvent(nullptr));
    EXPECT_TRUE(r.context->enqueueV3(stream));
    EXPECT_EQ(calls.recorded, nullptr);
}

TEST_F(ProgramCudaTest, refusesMemoryThatTheCpuCannotRead) {
    calls.onDevice = x;
    EXPECT_FALSE(r.context->setTensorAddress("x", x));
    EXPECT_EQ(r.messages.lastError(), "setTensorAddress: x is in a GPU's memory, but the engine runs on the CPU; set "
                                      "an address in host memory, or build the engine with TENON_DEVICE=cuda");
    EXPECT_FALSE(r.context->setInputTensorAddress("x", x));
    void* const bindings[]{x, y};
    EXPECT_FALSE(r.context->executeV2(bindings));
}

TEST_F(ProgramCudaTest, saysWhatItTakesToCaptureAnEngineOnTheCpu) {
    calls.isCapturing = true;
    EXPECT_FALSE(r.context->enqueueV3(stream));
    EXPECT_EQ(r.messages.lastError(),
              "enqueueV3: capturing an engine on the CPU in a graph requires a CUDA runtime of 11.4 or later");
    EXPECT_EQ(calls.waited, nullptr);
    EXPECT_TRUE(r.context->enqueueV3(nullptr)); // the default stream is never captured
}

TEST(CapturedByTheProgram, needsSizesThatAreKnown) {
    calls = {};
    calls.isCapturing = true;
    test::Registered<test::KeepAboveV3Creator> creator;
    test::Defining d;
    test::KeepAboveV3 plugin(0.5F, true, false);
    ITensor* inputs[]{&d.input("x", {4})};
    IPluginV3Layer* const layer = d.network->addPluginV3(inputs, 1, nullptr, 0, plugin);
    layer->setName("keep");
    d.output(layer->getOutput(0));
    test::Running r(*d.build());
    float x[4] = {}, y[4] = {};
    r.context->setTensorAddress("x", x);
    r.context->setTensorAddress("y", y);
    EXPECT_FALSE(r.context->enqueueV3(reinterpret_cast<cudaStream_t>(0x10)));
    EXPECT_EQ(r.messages.lastError(), "enqueueV3: keep (Plugin): the size of its outputs is known at run time only, so "
                                      "it cannot be part of a CUDA graph; run the engine without one");
}

struct PluginOfTheProgram : testing::Test {
    void SetUp() override { calls = {}; }

    /// The message with which enqueue() ends if it leaves this error in the CUDA runtime; "" on success.
    std::string enqueue(int error) try {
        trt::callEnqueue(
            plugin, trt::ProgramCuda::find(), stream, [&] { return calls.lastError = error, 0; },
            [] { return "nothing"; });
        return {};
    } catch (Error const& problem) {
        return problem.what();
    }

    test::FakeLog log;
    test::FakePlugin plugin{log};
    void* stream = reinterpret_cast<void*>(0x10);
};

TEST_F(PluginOfTheProgram, isWaitedForOnTheCpuOnly) {
    EXPECT_EQ(enqueue(0), "");
    EXPECT_EQ(calls.waited, stream);
    calls.waited = nullptr;
    PluginDevice const onGpu{Device("cuda")};
    EXPECT_EQ(enqueue(0), "");
    EXPECT_EQ(calls.waited, nullptr);
}

TEST_F(PluginOfTheProgram, isToldOfAnErrorThatItLeft) {
    std::string const what = "plugin KeepPositive, version 1, namespace \"\": enqueue left "
                             "cudaErrorInvalidConfiguration in the CUDA runtime";
    EXPECT_EQ(enqueue(9), what + "; a plugin on the CPU cannot launch kernels; add code for the CPU");
    calls = {};
    PluginDevice const onGpu{Device("cuda")};
    EXPECT_EQ(enqueue(9), what + " and returned 0; a call or launch in it failed; expected the error as its result");
    EXPECT_EQ(enqueue(9), "") << "it was there before";
}

} // namespace
} // namespace tenon
