// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Calls a CUDA runtime correctly and incorrectly, and prints a line for each result: conformance.expected is the output
// of CUDA 13.0 on an H200. Compiles with any CUDA 12 or 13.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include <cuda_runtime_api.h>

namespace {

// The code of a call, and whether it was stored for cudaGetLastError().
void tell(char const* what, cudaError_t code) {
    cudaError_t const last = cudaGetLastError();
    std::printf("%s: %s%s\n", what, cudaGetErrorName(code), last == code ? "" : " (not remembered)");
}

void tell(char const* what, bool holds) { std::printf("%s: %s\n", what, holds ? "yes" : "no"); }

#define ASK(...) tell(#__VA_ARGS__, __VA_ARGS__)

constexpr size_t kBytes = 4096;
auto const kWrongKind = static_cast<cudaMemcpyKind>(17);

char* device() {
    void* memory = nullptr;
    cudaMalloc(&memory, kBytes);
    return static_cast<char*>(memory);
}

char* pinned() {
    void* memory = nullptr;
    cudaMallocHost(&memory, kBytes);
    return static_cast<char*>(memory);
}

void askMemory() {
    void* p = nullptr;
    char onStack[16];
    ASK(cudaMalloc(nullptr, 16));
    ASK(cudaMalloc(&p, 0));
    ASK(p == nullptr);
    ASK(cudaMalloc(&p, SIZE_MAX));
    ASK(cudaMalloc(&p, SIZE_MAX / 2));
    ASK(cudaMallocHost(&p, 0));
    ASK(p == nullptr);
    ASK(cudaMallocHost(nullptr, 16));
    ASK(cudaHostAlloc(&p, 16, 0x80));
    ASK(cudaMallocManaged(&p, 0, cudaMemAttachGlobal));
    ASK(cudaMallocManaged(&p, 16, 7));
    ASK(cudaFree(nullptr));
    ASK(cudaFree(onStack));
    p = device();
    ASK(cudaFree(static_cast<char*>(p) + 16));
    ASK(cudaFreeHost(p));
    ASK(cudaFree(p));
    ASK(cudaFree(p));
    p = pinned();
    ASK(cudaFree(p));
    p = pinned();
    ASK(cudaFreeHost(static_cast<char*>(p) + 16));
    ASK(cudaFreeHost(p));
    ASK(cudaFreeHost(p));
    ASK(cudaFreeHost(nullptr));
    ASK(cudaFreeHost(onStack));
    size_t bytes = 0;
    ASK(cudaMemGetInfo(nullptr, nullptr));
    ASK(cudaMemGetInfo(&bytes, nullptr));
    ASK(bytes > 0);
    size_t pitch = 0;
    ASK(cudaMallocPitch(&p, &pitch, 100, 10));
    ASK(pitch >= 100 && pitch % 32 == 0);
    ASK(cudaFree(p));
    ASK(cudaMallocPitch(&p, nullptr, 100, 10));
    ASK(cudaMallocPitch(&p, &pitch, 0, 10));
    ASK(cudaMallocPitch(&p, &pitch, SIZE_MAX / 2, 10));
}

void askHostMemory() {
    void* p = nullptr;
    unsigned flags = 0;
    auto* const heap = static_cast<char*>(std::aligned_alloc(4096, 4 * kBytes));
    ASK(cudaHostRegister(nullptr, 16, 0));
    ASK(cudaHostRegister(heap, 0, 0));
    ASK(cudaHostRegister(heap, kBytes, 0x100));
    ASK(cudaHostRegister(heap, 2 * kBytes, 0));
    ASK(cudaHostRegister(heap, 2 * kBytes, 0));
    ASK(cudaHostRegister(heap + kBytes, 2 * kBytes, 0));
    ASK(cudaHostGetDevicePointer(&p, heap, 0));
    ASK(cudaHostGetDevicePointer(&p, heap, 1));
    ASK(cudaHostGetDevicePointer(nullptr, heap, 0));
    ASK(cudaHostGetDevicePointer(&p, nullptr, 0));
    ASK(cudaHostGetFlags(&flags, heap));
    ASK(cudaFreeHost(heap));
    ASK(cudaHostUnregister(heap + 16));
    ASK(cudaHostUnregister(heap));
    ASK(cudaHostUnregister(heap));
    ASK(cudaHostUnregister(nullptr));
    ASK(cudaHostGetDevicePointer(&p, heap, 0));
    ASK(cudaHostGetFlags(&flags, heap));
    char* const host = pinned();
    ASK(cudaHostRegister(host, kBytes, 0));
    ASK(cudaHostUnregister(host));
    ASK(cudaHostGetFlags(&flags, host));
    ASK((flags & cudaHostAllocMapped) != 0);
    cudaFreeHost(host);
    std::free(heap);
}

void askPointers() {
    cudaPointerAttributes attributes = {};
    char onStack[16];
    char* const d = device();
    ASK(cudaPointerGetAttributes(nullptr, d));
    ASK(cudaPointerGetAttributes(&attributes, d + 100));
    ASK(attributes.type == cudaMemoryTypeDevice && attributes.device == 0);
    ASK(attributes.devicePointer == d + 100);
    ASK(cudaPointerGetAttributes(&attributes, onStack));
    ASK(attributes.type == cudaMemoryTypeUnregistered && attributes.device == cudaInvalidDeviceId);
    ASK(attributes.devicePointer == nullptr && attributes.hostPointer == onStack);
    ASK(cudaPointerGetAttributes(&attributes, nullptr));
    ASK(attributes.type == cudaMemoryTypeUnregistered);
    char* const h = pinned();
    ASK(cudaPointerGetAttributes(&attributes, h));
    ASK(attributes.type == cudaMemoryTypeHost && attributes.hostPointer == h && attributes.devicePointer == h);
    void* m = nullptr;
    cudaMallocManaged(&m, kBytes, cudaMemAttachGlobal);
    ASK(cudaPointerGetAttributes(&attributes, m));
    ASK(attributes.type == cudaMemoryTypeManaged && attributes.hostPointer == m && attributes.devicePointer == m);
    ASK(cudaFree(m));
    ASK(cudaFree(d));
    ASK(cudaFreeHost(h));
    ASK(cudaPointerGetAttributes(&attributes, d));
    ASK(attributes.type == cudaMemoryTypeUnregistered);
}

void askCopies() {
    static char host[kBytes], other[kBytes];
    char *const d = device(), *const e = device(), *const h = pinned();
    ASK(cudaMemcpy(d, host, kBytes, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(nullptr, host, kBytes, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(d, nullptr, kBytes, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(d, host, kBytes, kWrongKind));
    ASK(cudaMemcpy(d, host, 0, kWrongKind));
    ASK(cudaMemcpy(host, d, kBytes, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(e, d, kBytes, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(d, host, kBytes, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy(e, d, kBytes, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy(d, e, kBytes, cudaMemcpyHostToHost));
    ASK(cudaMemcpy(host, other, kBytes, cudaMemcpyHostToHost));
    ASK(cudaMemcpy(d, host, kBytes, cudaMemcpyDefault));
    ASK(cudaMemcpy(host, other, kBytes, cudaMemcpyDefault));
    ASK(cudaMemcpy(h, host, kBytes, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(host, h, kBytes, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpy(d, h, kBytes, cudaMemcpyDeviceToDevice));
    ASK(cudaMemcpy(d, h, kBytes, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(d, e, kBytes, cudaMemcpyDeviceToDevice));
    ASK(cudaMemcpy(d, d + 16, 64, cudaMemcpyDeviceToDevice));
    ASK(cudaMemcpyAsync(d, host, kBytes, cudaMemcpyDeviceToHost, nullptr));
    ASK(cudaMemcpyAsync(d, h, kBytes, kWrongKind, nullptr));
    ASK(cudaMemcpyAsync(nullptr, h, kBytes, cudaMemcpyHostToDevice, nullptr));
    ASK(cudaMemcpyAsync(d, h, 0, cudaMemcpyHostToDevice, nullptr));
    ASK(cudaMemcpyAsync(d, nullptr, 0, kWrongKind, nullptr));
    ASK(cudaMemcpyPeer(d, 0, e, 0, kBytes));
    ASK(cudaMemcpyPeer(d, 99, e, 0, kBytes));
    ASK(cudaDeviceSynchronize());
    cudaFree(d);
    cudaFree(e);
    cudaFreeHost(h);
}

// Large ones: a GPU allocates small ones within a larger block, and detects only accesses outside of that.
void askRanges() {
    constexpr size_t kLarge = 64 << 20;
    auto* const host = static_cast<char*>(std::calloc(kLarge + 4096, 1));
    void *d = nullptr, *h = nullptr;
    cudaMalloc(&d, kLarge);
    cudaMallocHost(&h, kLarge);
    ASK(cudaMemcpy(d, host, kLarge + 1, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy(host, d, kLarge + 1, cudaMemcpyDeviceToHost));
    ASK(cudaMemcpyAsync(static_cast<char*>(d) + kLarge - 8, host, 16, cudaMemcpyHostToDevice, nullptr));
    ASK(cudaMemcpy(static_cast<char*>(d) + kLarge - 8, host, 16, cudaMemcpyDefault));
    ASK(cudaMemset(d, 0, kLarge + 1));
    ASK(cudaMemset(static_cast<char*>(d) + 16, 0, kLarge));
    ASK(cudaMemcpy2D(d, kLarge / 4, host, 16, 16, 4, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, kLarge / 4, host, 16, 16, 5, cudaMemcpyHostToDevice));
    ASK(cudaMemset2D(d, kLarge / 4, 0, 16, 5));
    ASK(cudaDeviceSynchronize());
    cudaFree(d);
    cudaFreeHost(h);
    std::free(host);
}

void askBoxes() {
    static char host[kBytes];
    char* const d = device();
    ASK(cudaMemcpy2D(d, 64, host, 32, 32, 8, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 16, host, 32, 32, 8, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 64, host, 16, 32, 8, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 16, host, 16, 32, 1, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 16, host, 32, 32, 1, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 64, host, 16, 32, 1, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 0, host, 0, 32, 1, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 64, host, 0, 32, 1, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 0, host, 32, 32, 8, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 64, host, 32, 0, 8, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 64, host, 32, 32, 0, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2D(d, 64, host, 32, 32, 8, kWrongKind));
    ASK(cudaMemcpy2D(nullptr, 64, host, 32, 32, 8, cudaMemcpyHostToDevice));
    ASK(cudaMemcpy2DAsync(d, 16, host, 32, 32, 8, cudaMemcpyHostToDevice, nullptr));
    ASK(cudaMemcpy3D(nullptr));
    cudaMemcpy3DParms box = {};
    box.kind = cudaMemcpyHostToDevice;
    box.extent = {16, 4, 2};
    ASK(cudaMemcpy3D(&box));
    box.srcPtr = {host, 16, 16, 4};
    box.dstPtr = {d, 32, 16, 4};
    ASK(cudaMemcpy3D(&box));
    box.dstPtr.pitch = 8;
    ASK(cudaMemcpy3D(&box));
    box.dstPtr.pitch = 32;
    box.extent.height = 5;
    ASK(cudaMemcpy3D(&box));
    box.extent.depth = 1;
    ASK(cudaMemcpy3D(&box));
    box.dstPtr.pitch = 8;
    box.extent = {16, 1, 1};
    ASK(cudaMemcpy3D(&box));
    box.dstPtr.pitch = 32;
    box.dstPos = {8, 1, 1};
    ASK(cudaMemcpy3D(&box));
    box.dstPos = {0, 0, 0};
    box.extent = {0, 0, 0};
    ASK(cudaMemcpy3D(&box));
    box.extent = {16, 4, 2};
    box.kind = kWrongKind;
    ASK(cudaMemcpy3D(&box));
    ASK(cudaMemset2D(d, 16, 0, 32, 8));
    ASK(cudaMemset2D(d, 16, 0, 32, 1));
    ASK(cudaMemset2D(d, 0, 0, 32, 1));
    ASK(cudaMemset2D(d, 64, 0, 32, 8));
    ASK(cudaMemset2D(d, 64, 0, 0, 8));
    ASK(cudaMemset3D({d, 64, 32, 8}, 0, {32, 8, 2}));
    ASK(cudaMemset3D({d, 16, 32, 8}, 0, {32, 8, 2}));
    ASK(cudaMemset3D({d, 64, 32, 4}, 0, {32, 8, 2}));
    ASK(cudaMemset3D({d, 64, 32, 8}, 0, {0, 8, 2}));
    ASK(cudaMemset3D({nullptr, 64, 32, 8}, 0, {32, 8, 2}));
    ASK(cudaMemset(nullptr, 0, 16));
    ASK(cudaMemset(nullptr, 0, 0));
    ASK(cudaDeviceSynchronize());
    cudaFree(d);
}

void askDevice() {
    int value = -7;
    cudaDeviceProp properties;
    char text[32];
    ASK(cudaGetDeviceCount(nullptr));
    ASK(cudaSetDevice(-1));
    ASK(cudaSetDevice(99));
    ASK(cudaSetDevice(0));
    ASK(cudaGetDevice(nullptr));
    ASK(cudaGetDevice(&value));
    ASK(value == 0);
    ASK(cudaGetDeviceProperties(nullptr, 0));
    ASK(cudaGetDeviceProperties(&properties, 99));
    ASK(cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
    ASK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 99));
    ASK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(0), 0));
    ASK(cudaDeviceGetAttribute(&value, static_cast<cudaDeviceAttr>(9999), 0));
    ASK(cudaDeviceGetAttribute(&value, cudaDevAttrWarpSize, 0));
    ASK(value == 32);
    ASK(cudaDeviceCanAccessPeer(&value, 0, 0));
    ASK(value == 0);
    ASK(cudaDeviceCanAccessPeer(&value, 0, 99));
    ASK(cudaDeviceEnablePeerAccess(0, 0));
    ASK(cudaDeviceEnablePeerAccess(99, 0));
    ASK(cudaDeviceDisablePeerAccess(0));
    ASK(cudaDeviceGetPCIBusId(nullptr, 32, 0));
    ASK(cudaDeviceGetPCIBusId(text, 4, 0));
    ASK(cudaDeviceGetPCIBusId(text, 32, 0));
    ASK(cudaDeviceGetByPCIBusId(&value, text));
    ASK(cudaDeviceGetByPCIBusId(&value, "no such device"));
    ASK(cudaDeviceGetByPCIBusId(&value, nullptr));
    size_t limit = 0;
    ASK(cudaDeviceGetLimit(&limit, cudaLimitStackSize));
    ASK(cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
    ASK(cudaDeviceGetLimit(&limit, static_cast<cudaLimit>(99)));
    ASK(cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1));
    ASK(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20));
    ASK(cudaDeviceGetLimit(&limit, cudaLimitPrintfFifoSize));
    ASK(limit == 2 << 20);
    unsigned flags = 0;
    ASK(cudaSetValidDevices(nullptr, 0));
    ASK(cudaSetValidDevices(nullptr, 1));
    ASK(cudaChooseDevice(nullptr, nullptr));
    ASK(cudaGetDeviceFlags(&flags));
    ASK((flags & cudaDeviceMapHost) != 0);
    ASK(cudaGetDeviceFlags(nullptr));
    ASK(cudaSetDeviceFlags(0x1000));
    ASK(cudaRuntimeGetVersion(nullptr));
    ASK(cudaDriverGetVersion(nullptr));
    int least = -7, greatest = -7;
    ASK(cudaDeviceGetStreamPriorityRange(&least, &greatest));
    ASK(least == 0 && greatest < 0);
    ASK(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
}

void askStreams() {
    cudaStream_t stream = nullptr;
    unsigned flags = 7;
    int priority = 7;
    ASK(cudaStreamCreate(nullptr));
    ASK(cudaStreamCreateWithFlags(&stream, 99));
    ASK(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, -1));
    ASK(cudaStreamGetFlags(stream, &flags));
    ASK(flags == cudaStreamNonBlocking);
    ASK(cudaStreamGetFlags(stream, nullptr));
    ASK(cudaStreamGetPriority(stream, &priority));
    ASK(priority == -1);
    ASK(cudaStreamQuery(stream));
    ASK(cudaStreamQuery(nullptr));
    ASK(cudaStreamQuery(cudaStreamPerThread));
    ASK(cudaStreamSynchronize(stream));
    ASK(cudaStreamSynchronize(cudaStreamLegacy));
    ASK(cudaStreamDestroy(stream));
    ASK(cudaStreamDestroy(nullptr));
    ASK(cudaStreamDestroy(cudaStreamLegacy));
    ASK(cudaStreamDestroy(cudaStreamPerThread));
    ASK(cudaStreamCreateWithPriority(&stream, 0, 99));
    cudaStreamGetPriority(stream, &priority);
    ASK(priority == 0);
    cudaStreamDestroy(stream);
    ASK(cudaStreamCreateWithPriority(&stream, 0, -99));
    cudaStreamGetPriority(stream, &priority);
    ASK(priority == -5);
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
    ASK(cudaStreamIsCapturing(stream, &status));
    ASK(status == cudaStreamCaptureStatusNone);
    ASK(cudaStreamIsCapturing(stream, nullptr));
    ASK(cudaLaunchHostFunc(stream, nullptr, nullptr));
    ASK(cudaStreamAddCallback(stream, nullptr, nullptr, 0));
    ASK(cudaStreamAddCallback(
        stream, [](cudaStream_t, cudaError_t, void*) {}, nullptr, 1));
    ASK(cudaStreamGetPriority(stream, nullptr));
    cudaStreamAttrValue value = {};
    value.syncPolicy = cudaSyncPolicySpin;
    ASK(cudaStreamSetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
    value = {};
    ASK(cudaStreamGetAttribute(stream, cudaStreamAttributeSynchronizationPolicy, &value));
    ASK(value.syncPolicy == cudaSyncPolicySpin);
    ASK(cudaStreamAttachMemAsync(stream, nullptr, 0, cudaMemAttachSingle));
    ASK(cudaStreamDestroy(stream));
}

void askEvents() {
    cudaEvent_t event = nullptr, other = nullptr, untimed = nullptr;
    float ms = -1;
    ASK(cudaEventCreate(nullptr));
    ASK(cudaEventCreateWithFlags(&event, 99));
    ASK(cudaEventCreateWithFlags(&event, cudaEventInterprocess));
    ASK(cudaEventCreate(&event));
    ASK(cudaEventCreate(&other));
    ASK(cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming));
    ASK(cudaEventQuery(event));
    ASK(cudaEventSynchronize(event));
    ASK(cudaStreamWaitEvent(nullptr, event, 0));
    ASK(cudaStreamWaitEvent(nullptr, event, 99));
    ASK(cudaEventElapsedTime(&ms, event, other));
    ASK(cudaEventRecord(event, nullptr));
    ASK(cudaEventElapsedTime(&ms, event, other));
    ASK(cudaEventRecord(other, nullptr));
    ASK(cudaEventRecord(untimed, nullptr));
    ASK(cudaDeviceSynchronize());
    ASK(cudaEventElapsedTime(&ms, event, untimed));
    ASK(cudaEventElapsedTime(nullptr, event, other));
    ASK(cudaEventElapsedTime(&ms, event, other));
    ASK(ms >= 0);
    ASK(cudaEventElapsedTime(&ms, other, event));
    ASK(ms <= 0);
    ASK(cudaEventRecordWithFlags(event, nullptr, 99));
    ASK(cudaEventRecord(nullptr, nullptr));
    ASK(cudaEventQuery(nullptr));
    ASK(cudaEventSynchronize(nullptr));
    ASK(cudaEventDestroy(nullptr));
    ASK(cudaEventDestroy(untimed));
    ASK(cudaEventDestroy(other));
    ASK(cudaEventDestroy(event));
}

void sleepOn(void*) { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }
void callCuda(void* result) { *static_cast<cudaError_t*>(result) = cudaStreamSynchronize(nullptr); }
void allocateInside(void* result) {
    void* memory = nullptr;
    *static_cast<cudaError_t*>(result) = cudaMalloc(&memory, 16);
}

void askOrder() {
    cudaStream_t stream = nullptr, other = nullptr, free = nullptr;
    cudaEvent_t event = nullptr, last = nullptr;
    cudaStreamCreate(&stream);
    cudaStreamCreate(&other);
    cudaStreamCreateWithFlags(&free, cudaStreamNonBlocking);
    cudaEventCreate(&event);
    cudaEventCreate(&last);
    ASK(cudaEventRecord(event, stream));
    ASK(cudaLaunchHostFunc(stream, sleepOn, nullptr));
    ASK(cudaStreamQuery(stream));
    ASK(cudaStreamQuery(other));
    ASK(cudaStreamQuery(free));
    ASK(cudaStreamQuery(nullptr));
    ASK(cudaEventRecord(last, stream));
    ASK(cudaEventQuery(last));
    float ms = -1;
    ASK(cudaEventElapsedTime(&ms, event, last));
    ASK(cudaStreamWaitEvent(other, last, 0));
    ASK(cudaStreamQuery(other));
    ASK(cudaEventSynchronize(last));
    ASK(cudaEventElapsedTime(&ms, event, last));
    ASK(ms >= 190 && ms < 1000);
    ASK(cudaStreamSynchronize(other));
    // The legacy default stream waits for a blocking stream's work, and blocking streams for its.
    ASK(cudaLaunchHostFunc(stream, sleepOn, nullptr));
    char* const d = device();
    ASK(cudaMemsetAsync(d, 0, kBytes, nullptr));
    ASK(cudaMemsetAsync(d, 0, kBytes, other));
    ASK(cudaStreamQuery(other));
    ASK(cudaMemsetAsync(d, 0, kBytes, free));
    ASK(cudaStreamSynchronize(free));
    ASK(cudaStreamSynchronize(nullptr));
    ASK(cudaStreamQuery(stream));
    ASK(cudaStreamSynchronize(other));
    cudaError_t inside = cudaErrorUnknown;
    ASK(cudaLaunchHostFunc(stream, callCuda, &inside));
    ASK(cudaStreamSynchronize(stream));
    tell("cudaStreamSynchronize inside a host function", inside == cudaErrorNotPermitted);
    ASK(cudaLaunchHostFunc(stream, allocateInside, &inside));
    ASK(cudaStreamSynchronize(stream));
    tell("cudaMalloc inside a host function", inside == cudaErrorNotPermitted);
    // A destroyed stream still executes its work.
    ASK(cudaLaunchHostFunc(stream, sleepOn, nullptr));
    ASK(cudaMemsetAsync(d, 0, kBytes, stream));
    ASK(cudaEventRecord(last, stream));
    ASK(cudaStreamDestroy(stream));
    ASK(cudaEventQuery(last));
    ASK(cudaEventSynchronize(last));
    cudaFree(d);
    cudaStreamDestroy(other);
    cudaStreamDestroy(free);
    cudaEventDestroy(event);
    cudaEventDestroy(last);
}

void askPools() {
    void* p = nullptr;
    cudaMemPool_t pool = nullptr, mine = nullptr;
    ASK(cudaMallocAsync(nullptr, 16, nullptr));
    ASK(cudaMallocAsync(&p, 0, nullptr));
    ASK(cudaMallocAsync(&p, kBytes, nullptr));
    ASK(cudaFreeAsync(p, nullptr));
    ASK(cudaFreeAsync(p, nullptr));
    ASK(cudaFreeAsync(nullptr, nullptr));
    ASK(cudaMallocAsync(&p, kBytes, nullptr));
    ASK(cudaFree(p));
    p = device();
    ASK(cudaFreeAsync(p, nullptr));
    ASK(cudaDeviceGetDefaultMemPool(&pool, 0));
    ASK(cudaDeviceGetDefaultMemPool(&pool, 99));
    ASK(cudaDeviceGetDefaultMemPool(nullptr, 0));
    uint64_t threshold = 1 << 20;
    ASK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    threshold = 0;
    ASK(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold));
    ASK(threshold == 1 << 20);
    ASK(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrUsedMemCurrent, &threshold));
    ASK(cudaMemPoolGetAttribute(nullptr, cudaMemPoolAttrUsedMemCurrent, &threshold));
    ASK(cudaMemPoolDestroy(pool));
    cudaMemPoolProps properties = {};
    ASK(cudaMemPoolCreate(&mine, &properties));
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location = {cudaMemLocationTypeDevice, 0};
    ASK(cudaMemPoolCreate(&mine, nullptr));
    ASK(cudaMemPoolCreate(&mine, &properties));
    ASK(cudaMallocFromPoolAsync(&p, kBytes, mine, nullptr));
    ASK(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &threshold));
    ASK(threshold == kBytes);
    ASK(cudaFreeAsync(p, nullptr));
    ASK(cudaStreamSynchronize(nullptr));
    ASK(cudaMemPoolGetAttribute(mine, cudaMemPoolAttrUsedMemCurrent, &threshold));
    ASK(threshold == 0);
    ASK(cudaMemPoolTrimTo(mine, 0));
    ASK(cudaMemPoolDestroy(mine));
    ASK(cudaMemPoolDestroy(nullptr));
    ASK(cudaMallocFromPoolAsync(&p, kBytes, nullptr, nullptr));
}

void askOthers() {
    static int notAKernel = 0;
    int blocks = 0;
    cudaFuncAttributes attributes;
    ASK(cudaFuncGetAttributes(&attributes, &notAKernel));
    ASK(cudaFuncSetAttribute(&notAKernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 1));
    ASK(cudaLaunchKernel(&notAKernel, dim3(1), dim3(1), nullptr, 0, nullptr));
    ASK(cudaLaunchKernel(nullptr, dim3(1), dim3(1), nullptr, 0, nullptr));
    ASK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, &notAKernel, 32, 0));
    std::printf("%s: %s\n", cudaGetErrorName(cudaError_t(9999)), cudaGetErrorString(cudaError_t(9999)));
    ASK(cudaGraphDestroy(nullptr));
    ASK(cudaGraphExecDestroy(nullptr));
    ASK(cudaFreeArray(nullptr));
    ASK(cudaDestroyTextureObject(0));
    ASK(cudaDestroySurfaceObject(0));
    void* memory = nullptr;
    cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSuccess;
    ASK(cudaGetDriverEntryPointByVersion("noSuchFunction", &memory, 12000, cudaEnableDefault, &found));
    ASK(found == cudaDriverEntryPointSymbolNotFound);
    ASK(cudaGetDriverEntryPointByVersion("noSuchFunction", &memory, 12000, cudaEnableDefault, nullptr));
    cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
    ASK(cudaThreadExchangeStreamCaptureMode(&mode));
    ASK(mode == cudaStreamCaptureModeGlobal);
    ASK(cudaMallocHost(&memory, kBytes));
    ASK(cudaMemcpy(memory, nullptr, 16, cudaMemcpyHostToHost));
    ASK(cudaPeekAtLastError());
    cudaMalloc(nullptr, 16);
    ASK(cudaPeekAtLastError());
    ASK(cudaDeviceReset());
}

} // namespace

int main() {
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    askMemory();
    askHostMemory();
    askPointers();
    askCopies();
    askRanges();
    askBoxes();
    askDevice();
    askStreams();
    askEvents();
    askOrder();
    askPools();
    askOthers();
}
