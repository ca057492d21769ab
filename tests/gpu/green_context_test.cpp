// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Runs on a part of a GPU's multiprocessors, which an application reserves as a green context of the driver.

#include "branches.h"
#include "on_gpu.h"
#include "support/api.h"

#include <cmath>
#include <cuda.h>

namespace tenon {
namespace {

using namespace nvinfer1;
using test::branches;
using test::OnGpu;
using test::Running;

using Floats = std::vector<float>;

/// The driver, opened by name: machines without a GPU do not have it.
class Driver {
public:
    bool isThere() const { return library_ && dlsym(library_, "cuGreenCtxStreamCreate") != nullptr; }
    /// A call by name, which must succeed; the caller's types must be the function's.
    template <class... Arguments> void call(char const* name, Arguments... arguments) const {
        auto* const function = reinterpret_cast<CUresult (*)(Arguments...)>(dlsym(library_, name));
        ASSERT_NE(function, nullptr) << name;
        ASSERT_EQ(function(arguments...), CUDA_SUCCESS) << name;
    }

private:
    void* library_ = dlopen("libcuda.so.1", RTLD_NOW);
};

/// Eight multiprocessors of GPU 0 and streams that work on them.
class GreenContext {
public:
    explicit GreenContext(Driver const& driver) : driver_(driver) {
        CUdevice device = 0;
        driver_.call("cuDeviceGet", &device, 0);
        CUdevResource all{};
        driver_.call("cuDeviceGetDevResource", device, &all, CU_DEV_RESOURCE_TYPE_SM);
        CUdevResource part{};
        CUdevResource rest{};
        unsigned groups = 1;
        constexpr unsigned kLeast = 8;
        driver_.call("cuDevSmResourceSplitByCount", &part, &groups, static_cast<CUdevResource const*>(&all), &rest, 0U,
                     kLeast);
        CUdevResourceDesc description{};
        driver_.call("cuDevResourceGenerateDesc", &description, &part, 1U);
        constexpr unsigned kDefaultStream = CU_GREEN_CTX_DEFAULT_STREAM;
        driver_.call("cuGreenCtxCreate", &context_, description, device, kDefaultStream);
    }
    ~GreenContext() {
        for (CUstream const stream : streams_) driver_.call("cuStreamDestroy_v2", stream);
        driver_.call("cuGreenCtxDestroy", context_);
    }
    GreenContext(GreenContext const&) = delete;
    GreenContext& operator=(GreenContext const&) = delete;

    cudaStream_t stream() {
        CUstream made = nullptr;
        constexpr unsigned kNonBlocking = CU_STREAM_NON_BLOCKING;
        driver_.call("cuGreenCtxStreamCreate", &made, context_, kNonBlocking, 0);
        streams_.push_back(made);
        return reinterpret_cast<cudaStream_t>(made);
    }
    void wait(cudaStream_t stream) const { driver_.call("cuStreamSynchronize", reinterpret_cast<CUstream>(stream)); }

private:
    Driver const& driver_;
    CUgreenCtx context_ = nullptr;
    std::vector<CUstream> streams_;
};

struct GreenContexts : test::GpuTest {
    void SetUp() override {
        GpuTest::SetUp();
        if (IsSkipped()) return;
        if (!driver.isThere()) GTEST_SKIP() << "the driver has no green contexts: it has them since CUDA 12.4";
    }
    Driver driver;
};

/// An engine with two auxiliary streams, and its outputs for some inputs.
struct Branched {
    Branched() {
        running.context->setTensorAddress("x", x.memory.data());
        running.context->setTensorAddress("y", y.memory.data());
    }
    static Floats numbers() {
        Floats all(64 * 1024);
        for (size_t i = 0; i < all.size(); ++i) all[i] = 5 * std::sin(static_cast<float>(i));
        return all;
    }

    Floats const expected = Running(*branches(0)).run(numbers(), numbers().size());
    OnGpu<float> x{numbers()};
    OnGpu<float> y{Floats(64 * 1024, 0)};
    Running running{*branches(2)};
};

TEST_F(GreenContexts, mayHaveTheRunAndItsAuxiliaryStreams) {
    Branched branched;
    GreenContext part(driver);
    cudaStream_t const stream = part.stream();
    cudaStream_t aux[] = {part.stream(), part.stream()};
    branched.running.context->setAuxStreams(aux, 2);
    for (int run = 0; run < 20; ++run) { // the first is not recorded, the others are
        branched.y.set(Floats(64 * 1024, 0));
        ASSERT_TRUE(branched.running.context->enqueueV3(stream)) << branched.running.messages.lastError();
        part.wait(stream);
        ASSERT_EQ(branched.y.fetch(), branched.expected) << run;
    }
}

TEST_F(GreenContexts, ofAuxiliaryStreamsAreThatOfTheRun) {
    Branched branched;
    GreenContext part(driver);
    Stream whole("cuda");
    cudaStream_t aux[] = {whole.get(), part.stream()};
    branched.running.context->setAuxStreams(aux, 2);
    EXPECT_FALSE(branched.running.context->enqueueV3(whole.get()));
    EXPECT_EQ(branched.running.messages.lastError(),
              "enqueueV3: auxiliary stream 1 belongs to another green context than the stream of the run; pass streams "
              "of the latter to setAuxStreams()");
    cudaStream_t ofWhole[] = {whole.get()};
    branched.running.context->setAuxStreams(ofWhole, 1);
    EXPECT_FALSE(branched.running.context->enqueueV3(part.stream()));
    branched.running.context->setAuxStreams(nullptr, 0);
    ASSERT_TRUE(branched.running.context->enqueueV3(whole.get())) << branched.running.messages.lastError();
    whole.wait();
    EXPECT_EQ(branched.y.fetch(), branched.expected);
}

} // namespace
} // namespace tenon
