// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "allocations.h"
#include "capture.h"
#include "export.h"
#include "host.h"
#include "status.h"

namespace hostcuda {
namespace {

constexpr size_t kPitch = 512; // rows are rounded up to this, as on a GPU
constexpr unsigned kHostAllocFlags = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
constexpr unsigned kHostRegisterFlags =
    cudaHostRegisterPortable | cudaHostRegisterMapped | cudaHostRegisterIoMemory | cudaHostRegisterReadOnly;

bool isDevices(Kind kind) { return kind == Kind::device || kind == Kind::managed; }
bool isPinned(Kind kind) { return kind == Kind::pinned; }
bool isRegistered(Kind kind) { return kind == Kind::registered; }

void allocate(void** result, size_t bytes, Kind kind, unsigned flags = 0) {
    require(result != nullptr);
    refuseUnsafe();
    *result = nullptr;
    *result = allocations().allocate(bytes, kind, flags);
}

// Rows at a pitch; an overflow is an out-of-memory error.
void allocatePitched(cudaPitchedPtr& result, cudaExtent extent) {
    refuseUnsafe();
    result = {nullptr, 0, extent.width, extent.height};
    size_t bytes = 0;
    bool overflow = extent.width > SIZE_MAX - kPitch;
    result.pitch = overflow ? 0 : (extent.width + kPitch - 1) / kPitch * kPitch;
    overflow = overflow || __builtin_mul_overflow(result.pitch, extent.height, &bytes) ||
               __builtin_mul_overflow(bytes, extent.depth, &bytes);
    require(!overflow);
    result.ptr = allocations().allocate(bytes, Kind::device);
}

// Work that was submitted may still use the memory.
void release(void* pointer, bool (*accepts)(Kind)) {
    if (pointer == nullptr) return;
    refuseUnsafe();
    waitForEverything();
    allocations().take(pointer, accepts, cudaErrorInvalidValue);
}

cudaMemoryType typeOf(Kind kind) {
    switch (kind) {
    case Kind::device: return cudaMemoryTypeDevice;
    case Kind::managed: return cudaMemoryTypeManaged;
    case Kind::pinned:
    case Kind::registered: return cudaMemoryTypeHost;
    }
    return cudaMemoryTypeUnregistered;
}

void requireManaged(void const* pointer, size_t count) {
    auto const range = allocations().find(pointer);
    require(range && range->kind == Kind::managed && range->holds(reinterpret_cast<uintptr_t>(pointer), count));
}

void requirePlace(int device) { require(device == 0 || device == cudaCpuDeviceId, cudaErrorInvalidDevice); }

int deviceOf(cudaMemLocation location) {
    require(location.type != cudaMemLocationTypeInvalid);
    return location.type == cudaMemLocationTypeDevice ? location.id : cudaCpuDeviceId;
}

void advise(void const* pointer, size_t count, cudaMemoryAdvise advice, int device) {
    require(advice >= cudaMemAdviseSetReadMostly && advice <= cudaMemAdviseUnsetAccessedBy);
    requireManaged(pointer, count);
    bool const namesPlace = advice == cudaMemAdviseSetPreferredLocation || advice == cudaMemAdviseSetAccessedBy;
    if (namesPlace) requirePlace(device);
}

void prefetch(void const* pointer, size_t count, int device, cudaStream_t stream) {
    requireManaged(pointer, count);
    requirePlace(device);
    findStream(stream);
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

CUDART(cudaMalloc)(void** devPtr, size_t size) {
    return call([&] { allocate(devPtr, size, Kind::device); });
}

CUDART(cudaMallocManaged)(void** devPtr, size_t size, unsigned int flags) {
    return call([&] {
        require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
        allocate(devPtr, size, Kind::managed, flags);
    });
}

CUDART(cudaMallocPitch)(void** devPtr, size_t* pitch, size_t width, size_t height) {
    return call([&] {
        require(devPtr != nullptr && pitch != nullptr);
        cudaPitchedPtr memory;
        allocatePitched(memory, {width, height, 1});
        *devPtr = memory.ptr;
        *pitch = memory.pitch;
    });
}

CUDART(cudaMalloc3D)(cudaPitchedPtr* pitchedDevPtr, cudaExtent extent) {
    return call([&] {
        require(pitchedDevPtr != nullptr);
        allocatePitched(*pitchedDevPtr, extent);
    });
}

CUDART(cudaFree)(void* devPtr) {
    return callAlways([&] { release(devPtr, isDevices); });
}

CUDART(cudaMallocHost)(void** ptr, size_t size) {
    return call([&] { allocate(ptr, size, Kind::pinned); });
}

CUDART(cudaHostAlloc)(void** pHost, size_t size, unsigned int flags) {
    return call([&] {
        require((flags & ~kHostAllocFlags) == 0);
        allocate(pHost, size, Kind::pinned, flags);
    });
}

CUDART(cudaFreeHost)(void* ptr) {
    return callAlways([&] { release(ptr, isPinned); });
}

CUDART(cudaHostRegister)(void* ptr, size_t size, unsigned int flags) {
    return call([&] {
        refuseUnsafe();
        require(ptr != nullptr && size != 0 && (flags & ~kHostRegisterFlags) == 0);
        require(size <= UINTPTR_MAX - reinterpret_cast<uintptr_t>(ptr));
        auto const known = allocations().find(ptr);
        require(!known || isRegistered(known->kind));
        allocations().registerHost(ptr, size, flags);
    });
}

CUDART(cudaHostUnregister)(void* ptr) {
    return callAlways([&] {
        require(ptr != nullptr);
        refuseUnsafe();
        waitForEverything();
        bool const isKnown = allocations().find(ptr).has_value();
        allocations().take(ptr, isRegistered, isKnown ? cudaErrorInvalidValue : cudaErrorHostMemoryNotRegistered);
    });
}

CUDART(cudaHostGetDevicePointer)(void** pDevice, void* pHost, unsigned int flags) {
    return call([&] {
        require(pDevice != nullptr && pHost != nullptr && flags == 0);
        auto const range = allocations().find(pHost);
        require(range && !isDevices(range->kind));
        *pDevice = pHost;
    });
}

CUDART(cudaHostGetFlags)(unsigned int* pFlags, void* pHost) {
    return call([&] {
        require(pFlags != nullptr);
        auto const range = allocations().find(pHost);
        require(range && !isDevices(range->kind));
        *pFlags = range->flags | cudaHostAllocMapped; // as all of it is mapped
    });
}

CUDART(cudaMemGetInfo)(size_t* free, size_t* total) {
    return call([&] {
        if (free != nullptr) *free = freeMemory();
        if (total != nullptr) *total = host().memory;
    });
}

// Writes the fields that all releases have. A GPU's memory has no host pointer; this memory has one, by which an engine
// on the CPU recognizes that it can use it.
CUDART(cudaPointerGetAttributes)(cudaPointerAttributes* attributes, void const* ptr) {
    return call([&] {
        require(attributes != nullptr);
        auto* const pointer = const_cast<void*>(ptr);
        if (auto const range = allocations().find(ptr)) {
            attributes->type = typeOf(range->kind);
            attributes->device = 0;
            attributes->devicePointer = pointer;
            attributes->hostPointer = pointer;
        } else {
            *attributes = {cudaMemoryTypeUnregistered, cudaInvalidDeviceId, nullptr, pointer};
        }
    });
}

// The last parameter of these two is a device until CUDA 12 and a location from 13 on, which 12 has as _v2.
HOSTCUDA_IN_11(cudaMemAdvise, "hostcuda_cudaMemAdvise");
HOSTCUDA_IN_12(cudaMemAdvise);
HOSTCUDA_IN_13(cudaMemAdvise, "hostcuda_cudaMemAdvise_v2");
HOSTCUDA_DEFINE(cudaError_t, cudaMemAdvise)(void const* devPtr, size_t count, cudaMemoryAdvise advice, int device) {
    return call([&] { advise(devPtr, count, advice, device); });
}

CUDART(cudaMemAdvise_v2)(void const* devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) {
    return call([&] { advise(devPtr, count, advice, deviceOf(location)); });
}

HOSTCUDA_IN_11(cudaMemPrefetchAsync, "hostcuda_cudaMemPrefetchAsync");
HOSTCUDA_IN_12(cudaMemPrefetchAsync);
HOSTCUDA_IN_13(cudaMemPrefetchAsync, "hostcuda_cudaMemPrefetchAsync_v2");
HOSTCUDA_IN_11(cudaMemPrefetchAsync_ptsz, "hostcuda_cudaMemPrefetchAsync_ptsz");
HOSTCUDA_IN_12(cudaMemPrefetchAsync_ptsz);
HOSTCUDA_IN_13(cudaMemPrefetchAsync_ptsz, "hostcuda_cudaMemPrefetchAsync_v2_ptsz");
HOSTCUDA_TWICE(cudaMemPrefetchAsync, cudaMemPrefetchAsync_ptsz,
               (void const* devPtr, size_t count, int dstDevice, cudaStream_t stream),
               (devPtr, count, dstDevice, stream)) {
    return call([&] { prefetch(devPtr, count, dstDevice, stream); });
}

CUDART_ON_STREAM(cudaMemPrefetchAsync_v2,
                 (void const* devPtr, size_t count, cudaMemLocation location, unsigned int flags, cudaStream_t stream),
                 (devPtr, count, location, flags, stream)) {
    return call([&] {
        require(flags == 0);
        prefetch(devPtr, count, deviceOf(location), stream);
    });
}
