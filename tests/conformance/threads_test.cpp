// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// One engine, many threads, many contexts. Under ThreadSanitizer, with TENON_THREADS=1 and OMP_NUM_THREADS=1, it also
// finds unintended sharing: a clone counts its runs without a lock.

#include "base/text.h"
#include "conformance/recording.h"
#include "support/api.h"
#include "support/api_plugins.h"
#include "support/plain_plugin.h"
#include "support/tested_device.h"
#include "tenon/device.h"
#include "tenon/memory.h"

#include <array>
#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

namespace {

using namespace nvinfer1;
namespace test = tenon::test;
using test::Defining;

constexpr int kThreads = 4;
constexpr int kContexts = 4; // of each thread
constexpr int kRuns = 1000;  // of each context
constexpr int64_t kColumns = 3;

std::atomic<int64_t> allRuns{0};

/// y = x
class Counting final : public test::PlainPlugin {
public:
    ~Counting() override { allRuns += runs_; }

    char const* getPluginType() const noexcept override { return "Counting"; }
    IPluginV2DynamicExt* clone() const noexcept override { return std::make_unique<Counting>().release(); }
    void configurePlugin(DynamicPluginTensorDesc const* in, int32_t, DynamicPluginTensorDesc const*,
                         int32_t) noexcept override {
        rows_ = in[0].desc.dims.d[0];
    }
    size_t getWorkspaceSize(PluginTensorDesc const*, int32_t, PluginTensorDesc const*,
                            int32_t) const noexcept override {
        return 64;
    }
    int32_t enqueue(PluginTensorDesc const* in, PluginTensorDesc const*, void const* const* inputs,
                    void* const* outputs, void*, cudaStream_t stream) noexcept override {
        ++runs_;
        if (in[0].dims.d[0] != rows_) return 1;
        return test::copyElements(outputs[0], inputs[0], static_cast<size_t>(rows_ * kColumns) * sizeof(float), stream);
    }

private:
    int64_t runs_ = 0; // one thread at a time uses a clone
    int64_t rows_ = -1;
};

class CountingCreator final : public test::TimesV2Creator {
public:
    char const* getPluginName() const noexcept override { return "Counting"; }
    IPluginV2* deserializePlugin(char const*, void const*, size_t) noexcept override {
        return std::make_unique<Counting>().release();
    }
};

/// A context of its own with memory for x and y.
class Runner {
public:
    explicit Runner(ICudaEngine& engine) : context_(engine.createExecutionContext()) {
        context_->setTensorAddress("x", atX_.data());
        context_->setTensorAddress("y", atY_.data());
    }

    /// y = relu(x) + x for this many rows.
    bool runs(int64_t rows, float first) {
        std::vector<float> x(static_cast<size_t>(rows * kColumns));
        std::iota(x.begin(), x.end(), first);
        std::vector<float> y(x.size());
        std::vector<float> expected = x;
        for (float& value : expected) value += value > 0 ? value : 0;
        stream_.copy(atX_.data(), x.data(), x.size() * sizeof(float));
        if (!context_->setInputShape("x", Dims2(rows, kColumns)) || !context_->enqueueV3(stream_.get())) return false;
        stream_.copy(y.data(), atY_.data(), y.size() * sizeof(float));
        return stream_.wait() == nullptr && y == expected;
    }

private:
    std::unique_ptr<IExecutionContext> context_;
    tenon::DeviceMemory atX_{nullptr, 8 * kColumns * sizeof(float)};
    tenon::DeviceMemory atY_{nullptr, 8 * kColumns * sizeof(float)};
    tenon::Stream stream_;
};

/// The work of one thread; returns the number of its correct runs.
int runAll(ICudaEngine& engine) {
    std::vector<std::unique_ptr<Runner>> runners;
    for (int i = 0; i < kContexts; ++i) runners.push_back(std::make_unique<Runner>(engine));
    int right = 0;
    for (int round = 0; round < kRuns; ++round) {
        for (auto const& runner : runners) right += runner->runs(1 + round % 8, static_cast<float>(round % 7 - 4));
    }
    return right;
}

TEST(Threads, runOneEngineInContextsOfTheirOwn) {
    ASSERT_EQ(tenon::setDevice(tenon::text(tenon::test::testedDevice()).c_str()), nullptr);
    test::Registered<CountingCreator> creator;
    {
        Defining d;
        ITensor* x = &d.input("x", {-1, kColumns});
        Counting plugin;
        ITensor* const copy = d.network->addPluginV2(&x, 1, plugin)->getOutput(0);
        ITensor* const relu = d.network->addActivation(*copy, ActivationType::kRELU)->getOutput(0);
        d.output(d.network->addElementWise(*relu, *x, ElementWiseOperation::kSUM)->getOutput(0));
        d.range("x", {1, kColumns}, {4, kColumns}, {8, kColumns});
        test::Running const loaded(*d.build());
        allRuns = 0;
        std::array<int, kThreads> right{};
        {
            std::vector<std::jthread> threads;
            for (int& count : right) threads.emplace_back([&] { count = runAll(*loaded.engine); });
        }
        for (int const count : right) EXPECT_EQ(count, kContexts * kRuns) << loaded.messages.lastError();
    }
    EXPECT_EQ(allRuns, kThreads * kContexts * kRuns);
    tenon::setDevice(nullptr);
}

} // namespace
