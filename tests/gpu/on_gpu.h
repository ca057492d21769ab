// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "NvInfer.h"
#include "tenon/device.h"
#include "tenon/memory.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <vector>

namespace tenon::test {

/// GPU memory with these elements.
template <class T> struct OnGpu {
    explicit OnGpu(std::vector<T> const& values) : memory("cuda", values.size() * sizeof(T)) { set(values); }
    void set(std::vector<T> const& values) {
        stream.copy(memory.data(), values.data(), memory.size());
        stream.wait();
    }
    std::vector<T> fetch() {
        std::vector<T> values(memory.size() / sizeof(T));
        EXPECT_EQ(stream.copy(values.data(), memory.data(), memory.size()), nullptr);
        EXPECT_EQ(stream.wait(), nullptr);
        return values;
    }
    Stream stream{"cuda"};
    DeviceMemory memory;
};

/// Tests of engines on a GPU; skipped, with the reason, if there is none.
struct GpuTest : testing::Test {
    void SetUp() override {
        if (char const* why = setDevice("cuda")) GTEST_SKIP() << why;
    }
    void TearDown() override { setDevice("cpu"); }
};

/// The CUDA runtime, opened by name: the tests have no CUDA headers.
class CudaRuntime {
public:
    CudaRuntime() {
        for (char const* name : {"libcudart.so.13", "libcudart.so.12"})
            if (!library_) library_ = dlopen(name, RTLD_NOW);
    }

    /// Fails the test if it is not cudaSuccess.
    bool isThere() const {
        EXPECT_NE(library_, nullptr) << "no libcudart is found";
        return library_ != nullptr;
    }
    /// A call by name; the caller's types must be the function's.
    template <class... Arguments> int call(char const* name, Arguments... arguments) const {
        return reinterpret_cast<int (*)(Arguments...)>(dlsym(library_, name))(arguments...);
    }

private:
    void* library_ = nullptr;
};

/// A run that the application captures in a CUDA graph.
class CapturedRun {
public:
    /// The result of enqueueV3(); its work is captured.
    bool capture(nvinfer1::IExecutionContext& context, Stream& stream) {
        if (!cuda_.isThere()) return false;
        constexpr int kThreadLocal = 1;
        EXPECT_EQ(cuda_.call("cudaStreamBeginCapture", stream.get(), kThreadLocal), 0);
        bool const isTaken = context.enqueueV3(stream.get());
        void* graph = nullptr;
        int const ended = cuda_.call("cudaStreamEndCapture", stream.get(), &graph);
        if (!isTaken) return false;
        EXPECT_EQ(ended, 0);
        EXPECT_EQ(cuda_.call("cudaGraphInstantiate", &run_, graph, 0ULL), 0);
        return true;
    }
    void replay(Stream& stream) {
        EXPECT_EQ(cuda_.call("cudaGraphLaunch", run_, stream.get()), 0);
        EXPECT_EQ(stream.wait(), nullptr);
    }

private:
    CudaRuntime cuda_;
    void* run_ = nullptr;
};

} // namespace tenon::test
