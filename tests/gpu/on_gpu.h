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

/// Memory of the GPU with these numbers in it.
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

/// Tests of engines on a GPU; skipped, saying why, where there is none.
struct GpuTest : testing::Test {
    void SetUp() override {
        if (char const* why = setDevice("cuda")) GTEST_SKIP() << why;
    }
    void TearDown() override { setDevice("cpu"); }
};

/// A run that the program captures in a CUDA graph; the tests have no CUDA headers, and open the runtime by name.
class CapturedRun {
public:
    CapturedRun() {
        for (char const* name : {"libcudart.so.13", "libcudart.so.12"})
            if (!cudart_) cudart_ = dlopen(name, RTLD_NOW);
    }

    /// What enqueueV3() answers; what it puts into the stream is kept.
    bool capture(nvinfer1::IExecutionContext& context, Stream& stream) {
        EXPECT_NE(cudart_, nullptr) << "no libcudart is found";
        if (cudart_ == nullptr) return false;
        constexpr int kThreadLocal = 1;
        EXPECT_EQ(call("cudaStreamBeginCapture", stream.get(), kThreadLocal), 0);
        bool const isTaken = context.enqueueV3(stream.get());
        void* graph = nullptr;
        int const ended = call("cudaStreamEndCapture", stream.get(), &graph);
        if (!isTaken) return false;
        EXPECT_EQ(ended, 0);
        EXPECT_EQ(call("cudaGraphInstantiate", &run_, graph, 0ULL), 0);
        return true;
    }
    void replay(Stream& stream) {
        EXPECT_EQ(call("cudaGraphLaunch", run_, stream.get()), 0);
        EXPECT_EQ(stream.wait(), nullptr);
    }

private:
    template <class... Arguments> int call(char const* name, Arguments... arguments) {
        return reinterpret_cast<int (*)(Arguments...)>(dlsym(cudart_, name))(arguments...);
    }

    void* cudart_ = nullptr;
    void* run_ = nullptr;
};

} // namespace tenon::test
