// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Engines on the CPU in an application that uses a GPU. Skipped if there is none.

#include "base/text.h"
#include "support/api.h"

#include <dlfcn.h>

namespace tenon {
namespace {

using namespace nvinfer1;

/// The application's CUDA runtime: a shared library whose functions are visible in the whole process.
class Runtime {
public:
    Runtime() {
        for (char const* name : {"libcudart.so.13", "libcudart.so.12", "libcudart.so.11.0", "libcudart.so"})
            library_ = library_ ? library_ : dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    }
    template <class... Args> int call(char const* name, Args... args) const {
        auto const function = library_ ? reinterpret_cast<int (*)(Args...)>(dlsym(library_, name)) : nullptr;
        return function ? function(args...) : -1;
    }
    /// Why there is no GPU to test with; empty if there is one.
    std::string absence() const {
        if (!library_) return "no libcudart is found";
        int devices = 0;
        int const status = call("cudaGetDeviceCount", &devices);
        if (status != 0 || devices == 0)
            return text("cudaGetDeviceCount answers ", status, " with ", devices, " devices");
        return {};
    }

private:
    void* library_ = nullptr;
};

struct Gpu : testing::Test {
    void SetUp() override {
        if (auto const why = cuda.absence(); !why.empty()) GTEST_SKIP() << "no GPU: " << why;
        ASSERT_EQ(cuda.call("cudaMalloc", &onDevice, size_t{8}), 0);
        test::Defining d;
        d.output(d.network->addUnary(d.input("x", {2}), UnaryOperation::kNEG)->getOutput(0));
        running = std::make_unique<test::Running>(*d.build());
    }
    void TearDown() override { cuda.call("cudaFree", onDevice); }

    Runtime cuda;
    void* onDevice = nullptr;
    std::unique_ptr<test::Running> running;
    float x[2] = {1, 2}, y[2] = {};
};

TEST_F(Gpu, memoryOfItIsRefusedByAnEngineOnTheCpu) {
    EXPECT_FALSE(running->context->setTensorAddress("x", onDevice));
    EXPECT_EQ(running->messages.lastError(),
              "setTensorAddress: x is in a GPU's memory, but the engine runs on the CPU; set an address in host "
              "memory, or build the engine with TENON_DEVICE=cuda");
}

TEST_F(Gpu, streamsOfItHaveAPlaceForAnEngineOnTheCpu) {
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cuda.call("cudaStreamCreate", &stream), 0);
    constexpr int kToDevice = 1, kToHost = 2;
    float back[2] = {};
    running->context->setTensorAddress("x", back);
    running->context->setTensorAddress("y", y);
    // x is copied to the device and back in the stream, and only then read by the engine.
    EXPECT_EQ(cuda.call("cudaMemcpyAsync", onDevice, static_cast<void*>(x), sizeof x, kToDevice, stream), 0);
    EXPECT_EQ(cuda.call("cudaMemcpyAsync", static_cast<void*>(back), onDevice, sizeof back, kToHost, stream), 0);
    EXPECT_TRUE(running->context->enqueueV3(stream)) << running->messages.lastError();
    EXPECT_EQ(y[0], -1);
    EXPECT_EQ(y[1], -2);
    EXPECT_EQ(cuda.call("cudaStreamDestroy", stream), 0);
}

TEST_F(Gpu, managedAndPinnedMemoryIsTakenByAnEngineOnTheCpu) {
    void* managed = nullptr;
    void* pinned = nullptr;
    ASSERT_EQ(cuda.call("cudaMallocManaged", &managed, size_t{8}, 1U), 0);
    ASSERT_EQ(cuda.call("cudaMallocHost", &pinned, size_t{8}), 0);
    std::copy_n(x, 2, static_cast<float*>(managed));
    EXPECT_TRUE(running->context->setTensorAddress("x", managed)) << running->messages.lastError();
    EXPECT_TRUE(running->context->setTensorAddress("y", pinned)) << running->messages.lastError();
    EXPECT_TRUE(running->context->enqueueV3(nullptr));
    EXPECT_EQ(static_cast<float*>(pinned)[1], -2);
    cuda.call("cudaFreeHost", pinned);
    cuda.call("cudaFree", managed);
}

} // namespace
} // namespace tenon
