// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

// A host function that waits until the test opens the gate, and records that it ran.
class Gate {
public:
    static void wait(void* self) { static_cast<Gate*>(self)->waitHere(); }
    void open() {
        std::lock_guard const lock(mutex_);
        isOpen_ = true;
        changed_.notify_all();
    }

private:
    void waitHere() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return isOpen_; });
    }
    std::mutex mutex_;
    std::condition_variable changed_;
    bool isOpen_ = false;
};

class HostCudaStream : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
        ASSERT_EQ(cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking), cudaSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(cudaStreamDestroy(stream), cudaSuccess);
        EXPECT_EQ(cudaStreamDestroy(free), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    }
    cudaStream_t stream = nullptr, free = nullptr;
};

TEST_F(HostCudaStream, AFunctionMayWaitForWhatTheCallerDoesLater) {
    Gate gate;
    int target = 0, value = 7;
    ASSERT_EQ(cudaLaunchHostFunc(stream, Gate::wait, &gate), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(&target, &value, sizeof(value), cudaMemcpyDefault, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
    EXPECT_EQ(target, 0); // the copy stays after the function
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(target, 7);
}

TEST_F(HostCudaStream, AFunctionMayTakeALockThatTheCallerHolds) {
    struct Shared {
        std::mutex mutex;
        std::condition_variable changed;
        bool isDone = false;
    } shared;
    std::unique_lock lock(shared.mutex);
    auto const signal = [](void* data) {
        auto& shared = *static_cast<Shared*>(data);
        std::lock_guard const lock(shared.mutex);
        shared.isDone = true;
        shared.changed.notify_one();
    };
    ASSERT_EQ(cudaLaunchHostFunc(stream, signal, &shared), cudaSuccess);
    EXPECT_TRUE(shared.changed.wait_for(lock, std::chrono::seconds(30), [&] { return shared.isDone; }));
}

TEST_F(HostCudaStream, FunctionsAndCallbacksRunInOrder) {
    std::string order;
    struct Step {
        std::string* order;
        char name;
    } steps[] = {{&order, 'a'}, {&order, 'b'}, {&order, 'c'}};
    auto const note = [](void* data) { static_cast<Step*>(data)->order->push_back(static_cast<Step*>(data)->name); };
    auto const call = [](cudaStream_t, cudaError_t status, void* data) {
        auto& step = *static_cast<Step*>(data);
        step.order->push_back(status == cudaSuccess ? step.name : '!');
    };
    ASSERT_EQ(cudaLaunchHostFunc(stream, note, &steps[0]), cudaSuccess);
    ASSERT_EQ(cudaStreamAddCallback(stream, call, &steps[1], 0), cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(stream, note, &steps[2]), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(order, "abc");
}

TEST_F(HostCudaStream, AnEventHoldsBackTheStreamThatWaitsForIt) {
    Gate gate;
    cudaEvent_t event = nullptr;
    ASSERT_EQ(cudaEventCreate(&event), cudaSuccess);
    int target = 0, value = 7;
    ASSERT_EQ(cudaLaunchHostFunc(stream, Gate::wait, &gate), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(free, event, 0), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(&target, &value, sizeof(value), cudaMemcpyDefault, free), cudaSuccess);
    EXPECT_EQ(cudaEventQuery(event), cudaErrorNotReady);
    EXPECT_EQ(cudaEventDestroy(event), cudaSuccess); // waiters keep the objects that they wait for
    EXPECT_EQ(cudaStreamQuery(free), cudaErrorNotReady);
    EXPECT_EQ(target, 0);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(free), cudaSuccess);
    EXPECT_EQ(target, 7);
}

TEST_F(HostCudaStream, OnlyBlockingStreamsWaitForTheDefaultStream) {
    Gate gate;
    int blocked = 0, unblocked = 0, value = 7;
    ASSERT_EQ(cudaLaunchHostFunc(cudaStreamLegacy, Gate::wait, &gate), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(&blocked, &value, sizeof(value), cudaMemcpyDefault, stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(&unblocked, &value, sizeof(value), cudaMemcpyDefault, free), cudaSuccess);
    EXPECT_EQ(unblocked, 7);
    EXPECT_EQ(blocked, 0);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(blocked, 7);
}

TEST_F(HostCudaStream, EachThreadHasADefaultStreamOfItsOwn) {
    Gate gate;
    ASSERT_EQ(cudaLaunchHostFunc(cudaStreamPerThread, Gate::wait, &gate), cudaSuccess);
    unsigned long long mine = 0, theirs = 0;
    EXPECT_EQ(cudaStreamGetId(cudaStreamPerThread, &mine), cudaSuccess);
    cudaError_t answer = cudaErrorUnknown;
    std::thread([&] {
        cudaStreamGetId(cudaStreamPerThread, &theirs);
        answer = cudaStreamQuery(cudaStreamPerThread);
    }).join();
    EXPECT_EQ(answer, cudaSuccess);
    EXPECT_NE(mine, theirs);
    EXPECT_EQ(cudaStreamQuery(cudaStreamPerThread), cudaErrorNotReady);
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(cudaStreamPerThread), cudaSuccess);
}

TEST_F(HostCudaStream, MemoryFreedInAStreamLivesUntilItsTurn) {
    Gate gate;
    int* memory = nullptr;
    int value = 7, back = 0;
    ASSERT_EQ(cudaMallocAsync(&memory, sizeof(int), stream), cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(stream, Gate::wait, &gate), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(memory, &value, sizeof(value), cudaMemcpyHostToDevice, stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(&back, memory, sizeof(value), cudaMemcpyDeviceToHost, stream), cudaSuccess);
    ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);
    cudaGetLastError();
    gate.open();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(back, 7);
}

TEST_F(HostCudaStream, AHandleThatIsNoStreamOrNoLongerOneIsAnError) {
    int notAStream = 0;
    cudaStream_t gone = nullptr;
    ASSERT_EQ(cudaStreamCreate(&gone), cudaSuccess);
    ASSERT_EQ(cudaStreamDestroy(gone), cudaSuccess);
    for (cudaStream_t handle : {gone, reinterpret_cast<cudaStream_t>(&notAStream)}) {
        EXPECT_EQ(cudaStreamSynchronize(handle), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaMemsetAsync(&notAStream, 0, 4, handle), cudaErrorInvalidResourceHandle);
        EXPECT_EQ(cudaStreamDestroy(handle), cudaErrorInvalidResourceHandle);
    }
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidResourceHandle);
}

TEST_F(HostCudaStream, AFunctionThatCallsTheRuntimeIsNotPermittedTo) {
    std::vector<cudaError_t> answers;
    auto const call = [](void* data) {
        auto& answers = *static_cast<std::vector<cudaError_t>*>(data);
        int* memory = nullptr;
        answers = {cudaMalloc(&memory, 4), cudaDeviceSynchronize(), cudaMemset(&answers, 0, 1), cudaFree(&answers)};
    };
    ASSERT_EQ(cudaLaunchHostFunc(stream, call, &answers), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    EXPECT_EQ(answers, std::vector<cudaError_t>(4, cudaErrorNotPermitted));
}

TEST_F(HostCudaStream, EventsMeasureMilliseconds) {
    cudaEvent_t start = nullptr, end = nullptr;
    ASSERT_EQ(cudaEventCreate(&start), cudaSuccess);
    ASSERT_EQ(cudaEventCreate(&end, cudaEventBlockingSync), cudaSuccess);
    auto const began = std::chrono::steady_clock::now();
    ASSERT_EQ(cudaEventRecord(start, stream), cudaSuccess);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    ASSERT_EQ(cudaEventRecord(end, stream), cudaSuccess);
    auto const ended = std::chrono::steady_clock::now();
    float ms = 0;
    ASSERT_EQ(cudaEventElapsedTime(&ms, start, end), cudaSuccess);
    EXPECT_GE(ms, 20.0F);
    EXPECT_LE(ms, (std::chrono::duration<float, std::milli>(ended - began).count()));
    EXPECT_EQ(cudaEventDestroy(start), cudaSuccess);
    EXPECT_EQ(cudaEventDestroy(end), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(end, stream), cudaErrorInvalidResourceHandle);
    cudaGetLastError();
}

// A function, followed by a copy in another stream that waits for it.
bool takeTurns(cudaStream_t mine, cudaStream_t other, cudaEvent_t event, std::atomic<int>& ran) {
    int from = 1, to = 0;
    cudaLaunchHostFunc(
        mine, [](void* count) { ++*static_cast<std::atomic<int>*>(count); }, &ran);
    cudaEventRecord(event, mine);
    cudaStreamWaitEvent(other, event, 0);
    cudaMemcpyAsync(&to, &from, sizeof(from), cudaMemcpyDefault, other);
    cudaStreamSynchronize(other);
    return to == 1;
}

TEST_F(HostCudaStream, ManyThreadsShareStreams) {
    std::atomic<int> ran{0}, wrong{0};
    std::vector<std::thread> threads;
    for (int index = 0; index < 6; ++index) {
        threads.emplace_back([&, index] {
            cudaEvent_t event = nullptr;
            cudaEventCreate(&event);
            cudaStream_t const mine = index % 2 == 0 ? stream : free, other = index % 2 == 0 ? free : nullptr;
            for (int round = 0; round < 50; ++round) wrong += !takeTurns(mine, other, event, ran);
            cudaEventDestroy(event);
        });
    }
    for (auto& thread : threads) thread.join();
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_EQ(ran, 300);
    EXPECT_EQ(wrong, 0);
}

} // namespace
