// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Also compiles with CUDA's own toolkit: on a GPU the same results hold.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

constexpr size_t kBytes = 4 * sizeof(int);

class HostCudaCapture : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
        ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
        ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
        ASSERT_EQ(cudaEventCreateWithFlags(&joined, cudaEventDisableTiming), cudaSuccess);
        for (int** memory : {&a, &b}) ASSERT_EQ(cudaMalloc(memory, kBytes), cudaSuccess);
        ASSERT_EQ(cudaMallocHost(&host, kBytes), cudaSuccess);
    }
    void TearDown() override {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(cudaGetLastError(), cudaSuccess);
        EXPECT_TRUE(executable == nullptr || cudaGraphExecDestroy(executable) == cudaSuccess);
        EXPECT_TRUE(graph == nullptr || cudaGraphDestroy(graph) == cudaSuccess);
        cudaEventDestroy(event);
        cudaEventDestroy(joined);
        cudaStreamDestroy(stream);
        cudaStreamDestroy(other);
        cudaFree(a);
        cudaFree(b);
        cudaFreeHost(host);
    }

    void begin(cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal) {
        ASSERT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    }
    void end() {
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    }
    // The capture is invalid.
    void endsAs(cudaError_t code) {
        EXPECT_EQ(cudaStreamEndCapture(stream, &graph), code);
        EXPECT_EQ(graph, nullptr);
        EXPECT_EQ(cudaGetLastError(), code);
        cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
        EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
        EXPECT_EQ(status, cudaStreamCaptureStatusNone);
    }
    void fill(int value) { // b, through the host
        for (int index = 0; index < 4; ++index) host[index] = value;
    }
    int first() {
        EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
        int result = -1;
        EXPECT_EQ(cudaMemcpy(&result, b, sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
        return result;
    }
    void copyThrough() {
        ASSERT_EQ(cudaMemcpyAsync(a, host, kBytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
        ASSERT_EQ(cudaMemcpyAsync(b, a, kBytes, cudaMemcpyDeviceToDevice, stream), cudaSuccess);
    }
    size_t nodes() const {
        size_t count = 0;
        EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &count), cudaSuccess);
        return count;
    }

    cudaStream_t stream = nullptr, other = nullptr;
    cudaEvent_t event = nullptr, joined = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    int *a = nullptr, *b = nullptr, *host = nullptr;
};

TEST_F(HostCudaCapture, WhatIsCapturedIsDoneAtEachLaunchAndNotBefore) {
    fill(1);
    begin();
    copyThrough();
    ASSERT_EQ(cudaMemsetAsync(a, 0, kBytes, stream), cudaSuccess);
    end();
    EXPECT_EQ(nodes(), 3U);
    ASSERT_EQ(cudaMemset(b, 0, kBytes), cudaSuccess);
    EXPECT_EQ(first(), 0);
    for (int value : {2, 3}) {
        fill(value);
        ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
        EXPECT_EQ(first(), value);
    }
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess); // the instance lives on
    graph = nullptr;
    fill(4);
    ASSERT_EQ(cudaGraphLaunch(executable, other), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
    EXPECT_EQ(first(), 4);
}

TEST_F(HostCudaCapture, FunctionsOfTheProgramRunInTheirPlace) {
    std::atomic<int> count{0};
    auto const add = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
    auto const take = [](void* data) {
        auto* const values = static_cast<int*>(data);
        values[0] = values[0] * 10;
    };
    begin();
    ASSERT_EQ(cudaLaunchHostFunc(stream, add, &count), cudaSuccess);
    ASSERT_EQ(cudaLaunchHostFunc(stream, take, host), cudaSuccess);
    copyThrough();
    end();
    EXPECT_EQ(count, 0);
    fill(7);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(first(), 700);
    EXPECT_EQ(count, 2);
}

TEST_F(HostCudaCapture, AnotherStreamJoinsByAnEventAndComesBackByOne) {
    begin();
    ASSERT_EQ(cudaMemcpyAsync(a, host, kBytes, cudaMemcpyHostToDevice, stream), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(other, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    ASSERT_EQ(cudaMemcpyAsync(b, a, kBytes, cudaMemcpyDeviceToDevice, other), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(joined, other), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(stream, joined, 0), cudaSuccess);
    end();
    EXPECT_EQ(nodes(), 2U);
    fill(5);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(first(), 5);
    EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess); // it is free again
}

TEST_F(HostCudaCapture, AStreamThatDoesNotComeBackSpoilsTheCapture) {
    begin();
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamWaitEvent(other, event, 0), cudaSuccess);
    ASSERT_EQ(cudaMemsetAsync(b, 0, kBytes, other), cudaSuccess);
    endsAs(cudaErrorStreamCaptureUnjoined);
}

TEST_F(HostCudaCapture, WaitingForACapturedStreamSpoilsTheCaptureAndNothingElse) {
    begin();
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureUnsupported);
    EXPECT_EQ(cudaMemsetAsync(b, 0, kBytes, stream), cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaGetLastError(), cudaErrorStreamCaptureInvalidated);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    EXPECT_EQ(cudaStreamIsCapturing(stream, &status), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusInvalidated);
    endsAs(cudaErrorStreamCaptureInvalidated);
    fill(6);
    copyThrough(); // the application continues without
    EXPECT_EQ(first(), 6);
}

TEST_F(HostCudaCapture, TheDefaultStreamIsRefusedBesideABlockingOne) {
    begin();
    EXPECT_EQ(cudaMemcpy(b, a, kBytes, cudaMemcpyDeviceToDevice), cudaErrorStreamCaptureImplicit);
    cudaGetLastError();
    endsAs(cudaErrorStreamCaptureInvalidated);
    EXPECT_EQ(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeRelaxed), cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
}

TEST_F(HostCudaCapture, AllocationIsForbiddenUnlessTheCaptureIsRelaxed) {
    int* memory = nullptr;
    begin(cudaStreamCaptureModeGlobal);
    EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    endsAs(cudaErrorStreamCaptureInvalidated);
    begin(cudaStreamCaptureModeRelaxed);
    EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
    end();
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
    EXPECT_EQ(nodes(), 0U);
}

TEST_F(HostCudaCapture, AThreadMayExemptItself) {
    int* memory = nullptr;
    begin(cudaStreamCaptureModeGlobal);
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&memory, kBytes), cudaSuccess);
    ASSERT_EQ(cudaThreadExchangeStreamCaptureMode(&mode), cudaSuccess);
    EXPECT_EQ(mode, cudaStreamCaptureModeRelaxed);
    end();
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

TEST_F(HostCudaCapture, OtherThreadsAllocateBesideACaptureOfOneThread) {
    begin(cudaStreamCaptureModeThreadLocal);
    cudaError_t answer = cudaErrorUnknown;
    std::thread([&] {
        int* memory = nullptr;
        answer = cudaMalloc(&memory, kBytes);
        cudaFree(memory);
    }).join();
    EXPECT_EQ(answer, cudaSuccess);
    end();
}

TEST_F(HostCudaCapture, WrongEndsAreToldApart) {
    EXPECT_EQ(cudaStreamEndCapture(stream, &graph), cudaErrorIllegalState);
    begin();
    EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed), cudaErrorIllegalState);
    cudaError_t answer = cudaSuccess;
    std::thread([&] { answer = cudaStreamEndCapture(stream, &graph); }).join();
    EXPECT_EQ(answer, cudaErrorStreamCaptureWrongThread);
    endsAs(cudaErrorIllegalState); // it was the end nevertheless
}

TEST_F(HostCudaCapture, AnEventIsNotAskedForInACaptureOfTheThread) {
    begin();
    EXPECT_EQ(cudaEventQuery(event), cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    endsAs(cudaErrorStreamCaptureInvalidated);
}

TEST_F(HostCudaCapture, AnEventThatWasCapturedIsNotWaitedFor) {
    begin(cudaStreamCaptureModeRelaxed);
    ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
    EXPECT_EQ(cudaEventSynchronize(event), cudaErrorCapturedEvent);
    cudaGetLastError();
    endsAs(cudaErrorStreamCaptureInvalidated);
}

TEST_F(HostCudaCapture, WorkOutsideCannotBeWaitedForInside) {
    ASSERT_EQ(cudaMemsetAsync(b, 0, kBytes, other), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(event, other), cudaSuccess);
    begin();
    EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaErrorStreamCaptureIsolation);
    cudaGetLastError();
    endsAs(cudaErrorStreamCaptureInvalidated);
}

TEST_F(HostCudaCapture, TheCaptureTellsWhatItIs) {
    unsigned long long id = 0;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    cudaGraph_t soFar = nullptr;
    cudaGraphNode_t const* last = nullptr;
    size_t count = 0;
    begin();
    ASSERT_EQ(cudaMemsetAsync(b, 0, kBytes, stream), cudaSuccess);
#if CUDART_VERSION >= 13000
    ASSERT_EQ(cudaStreamGetCaptureInfo(stream, &status, &id, &soFar, &last, nullptr, &count), cudaSuccess);
#else
    ASSERT_EQ(cudaStreamGetCaptureInfo(stream, &status, &id, &soFar, &last, &count), cudaSuccess);
#endif
    EXPECT_EQ(status, cudaStreamCaptureStatusActive);
    EXPECT_NE(id, 0U);
    ASSERT_EQ(count, 1U);
    cudaGraphNodeType type = cudaGraphNodeTypeKernel;
    EXPECT_EQ(cudaGraphNodeGetType(*last, &type), cudaSuccess);
    EXPECT_EQ(type, cudaGraphNodeTypeMemset);
    end();
    EXPECT_EQ(graph, soFar);
}

TEST_F(HostCudaCapture, AGraphIsNotLaunchedIntoACapture) {
    begin();
    copyThrough();
    end();
    begin();
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaErrorStreamCaptureUnsupported);
    cudaGetLastError();
    cudaGraph_t none = nullptr;
    EXPECT_EQ(cudaStreamEndCapture(stream, &none), cudaErrorStreamCaptureInvalidated);
    cudaGetLastError();
    fill(8);
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(first(), 8);
}

TEST_F(HostCudaCapture, ACaptureOfTheSameShapeTakesTheOthersPlace) {
    begin();
    copyThrough();
    end();
    cudaGraph_t changed = nullptr;
    cudaGraphExecUpdateResultInfo info = {};
    begin();
    ASSERT_EQ(cudaMemcpyAsync(a, host + 1, sizeof(int), cudaMemcpyHostToDevice, stream), cudaSuccess);
    ASSERT_EQ(cudaMemcpyAsync(b, a, sizeof(int), cudaMemcpyDeviceToDevice, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(stream, &changed), cudaSuccess);
    ASSERT_EQ(cudaGraphExecUpdate(executable, changed, &info), cudaSuccess);
    EXPECT_EQ(info.result, cudaGraphExecUpdateSuccess);
    EXPECT_EQ(cudaGraphDestroy(changed), cudaSuccess);
    host[0] = 1, host[1] = 9;
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(first(), 9);

    begin();
    ASSERT_EQ(cudaMemsetAsync(b, 0, kBytes, stream), cudaSuccess);
    ASSERT_EQ(cudaStreamEndCapture(stream, &changed), cudaSuccess);
    EXPECT_EQ(cudaGraphExecUpdate(executable, changed, &info), cudaErrorGraphExecUpdateFailure);
    EXPECT_EQ(info.result, cudaGraphExecUpdateErrorTopologyChanged);
    EXPECT_EQ(cudaGraphDestroy(changed), cudaSuccess);
    cudaGetLastError();
}

TEST_F(HostCudaCapture, AGraphMadeNodeByNodeRunsInTheOrderOfItsEdges) {
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    cudaGraphNode_t last = nullptr, start = nullptr, found = nullptr;
    cudaMemsetParams const seven = {a, 0, 7, sizeof(int), 4, 1};
    ASSERT_EQ(cudaGraphAddMemcpyNode1D(&last, graph, nullptr, 0, b, a, kBytes, cudaMemcpyDeviceToDevice), cudaSuccess);
    ASSERT_EQ(cudaGraphAddMemsetNode(&start, graph, nullptr, 0, &seven), cudaSuccess);
#if CUDART_VERSION >= 13000
    ASSERT_EQ(cudaGraphAddDependencies(graph, &start, &last, nullptr, 1), cudaSuccess);
#else
    ASSERT_EQ(cudaGraphAddDependencies(graph, &start, &last, 1), cudaSuccess);
#endif
    size_t count = 1;
    ASSERT_EQ(cudaGraphGetRootNodes(graph, &found, &count), cudaSuccess);
    EXPECT_EQ(found, start);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(first(), 7);
    cudaMemsetParams const eight = {a, 0, 8, sizeof(int), 4, 1};
    ASSERT_EQ(cudaGraphExecMemsetNodeSetParams(executable, start, &eight), cudaSuccess);
    ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(first(), 8);
}

TEST_F(HostCudaCapture, AnObjectLivesAsLongAsWhatRetainsIt) {
    std::atomic<int> ended{0};
    auto const end = [](void* data) { ++*static_cast<std::atomic<int>*>(data); };
    cudaUserObject_t object = nullptr;
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaUserObjectCreate(&object, &ended, end, 1, cudaUserObjectNoDestructorSync), cudaSuccess);
    ASSERT_EQ(cudaGraphRetainUserObject(graph, object, 1, cudaGraphUserObjectMove), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    EXPECT_EQ(cudaGraphDestroy(graph), cudaSuccess);
    graph = nullptr;
    EXPECT_EQ(ended, 0);
    EXPECT_EQ(cudaGraphExecDestroy(executable), cudaSuccess);
    executable = nullptr;
    for (int tries = 0; ended == 0 && tries < 1000; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(1)); // a GPU's runtime ends it on a thread of its own
    EXPECT_EQ(ended, 1);
}

TEST_F(HostCudaCapture, AGraphIsInstantiatedWithTheArgumentsOfRelease11) {
    cudaGraphNode_t wrong = nullptr;
    char log[8] = "";
    ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
    ASSERT_EQ(cudaGraphInstantiate(&executable, graph, &wrong, log, sizeof log), cudaSuccess);
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
}

TEST_F(HostCudaCapture, WrongHandlesOfGraphsAreErrors) {
    cudaGraphNode_t node = nullptr;
    EXPECT_EQ(cudaGraphLaunch(nullptr, stream), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphInstantiate(&executable, nullptr, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGraphAddEmptyNode(&node, nullptr, nullptr, 0), cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
}

} // namespace
