// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "double_elements.h"

#include <cuda_fp16.h>

namespace tenon::test {
namespace {

template <class T> __global__ void doubled(T const* x, T* y, int64_t count) {
    int64_t const i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) y[i] = x[i] + x[i];
}

__global__ void wild(int* nowhere) { *nowhere = 1; }

__global__ void waits(long long cycles) {
    long long const begin = clock64();
    while (clock64() - begin < cycles) continue;
}

} // namespace

int doubleElements(void const* x, void* y, int64_t count, ElementType type, CUstream_st* stream) {
    constexpr int kThreads = 128;
    auto const blocks = static_cast<unsigned>((count + kThreads - 1) / kThreads);
    auto const launch = [&]<class T>(T const*) {
        doubled<<<blocks, kThreads, 0, stream>>>(static_cast<T const*>(x), static_cast<T*>(y), count);
    };
    switch (type) {
    case ElementType::Float32: launch(static_cast<float const*>(nullptr)); break;
    case ElementType::Float16: launch(static_cast<__half const*>(nullptr)); break;
    case ElementType::Int8: launch(static_cast<int8_t const*>(nullptr)); break;
    }
    return cudaGetLastError();
}

int dawdle(CUstream_st* stream) {
    constexpr long long kCycles = 40'000'000; // at least 20 ms
    waits<<<1, 1, 0, stream>>>(kCycles);
    return cudaGetLastError();
}

CUstream_st* defaultStream() { return cudaStreamLegacy; }

CUstream_st* makeStream(bool waitsForDefault) {
    CUstream_st* stream = nullptr;
    cudaStreamCreateWithFlags(&stream, waitsForDefault ? cudaStreamDefault : cudaStreamNonBlocking);
    return stream;
}

int beginCapture(CUstream_st* stream) { return cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal); }

int endCapture(CUstream_st* stream) {
    cudaGraph_t graph = nullptr;
    int const status = cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
    cudaGetLastError();
    return status;
}

void* poolAllocate(uint64_t bytes, CUstream_st* stream) {
    void* memory = nullptr;
    return cudaMallocAsync(&memory, bytes, stream) == cudaSuccess ? memory : nullptr;
}

void poolFree(void* memory, CUstream_st* stream) { cudaFreeAsync(memory, stream); }

int writeNowhere(CUstream_st* stream) {
    wild<<<1, 1, 0, stream>>>(reinterpret_cast<int*>(8));
    return cudaGetLastError();
}

} // namespace tenon::test
