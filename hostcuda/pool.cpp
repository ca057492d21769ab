// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Stream-ordered memory. It is allocated at the call, and freed when the stream reaches that operation.
#include "allocations.h"
#include "capture.h"
#include "device.h"
#include "export.h"
#include "handles.h"

namespace hostcuda {
namespace {

// Never destroyed: calls may come from the destructors of other globals.
Handles<Pool>& handles() {
    static Handles<Pool>& instance = *new Handles<Pool>(cudaErrorInvalidValue);
    return instance;
}

cudaMemPool_t defaultPool() {
    static void* const instance = handles().add(std::make_shared<Pool>());
    return static_cast<cudaMemPool_t>(instance);
}

std::atomic<cudaMemPool_t> currentPool{nullptr};

cudaMemPool_t current() {
    cudaMemPool_t const chosen = currentPool;
    return chosen != nullptr ? chosen : defaultPool();
}

std::shared_ptr<Pool> findPool(cudaMemPool_t handle) { return handles().find(handle); }

void allocate(void** result, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
    require(result != nullptr);
    refuseWhileCaptured(*findStream(stream));
    *result = allocations().allocate(bytes, Kind::device, 0, findPool(pool));
}

std::atomic<int>& reuse(Pool& pool, cudaMemPoolAttr attr) {
    return pool.reuse[attr - cudaMemPoolReuseFollowEventDependencies];
}

void set(Pool& pool, cudaMemPoolAttr attr, void const* value) {
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: reuse(pool, attr) = *static_cast<int const*>(value); return;
    case cudaMemPoolAttrReleaseThreshold: pool.releaseThreshold = *static_cast<uint64_t const*>(value); return;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh:
        require(*static_cast<uint64_t const*>(value) == 0); // only resetting is allowed
        pool.resetHigh();
        return;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: break;
    }
    throw Failure{cudaErrorInvalidValue};
}

// Freed memory is returned to the system immediately, so a pool holds only used memory.
void get(Pool& pool, cudaMemPoolAttr attr, void* value) {
    switch (attr) {
    case cudaMemPoolReuseFollowEventDependencies:
    case cudaMemPoolReuseAllowOpportunistic:
    case cudaMemPoolReuseAllowInternalDependencies: *static_cast<int*>(value) = reuse(pool, attr); return;
    case cudaMemPoolAttrReleaseThreshold: *static_cast<uint64_t*>(value) = pool.releaseThreshold; return;
    case cudaMemPoolAttrReservedMemHigh:
    case cudaMemPoolAttrUsedMemHigh: *static_cast<uint64_t*>(value) = pool.high(); return;
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent: *static_cast<uint64_t*>(value) = pool.used(); return;
    }
    throw Failure{cudaErrorInvalidValue};
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

CUDART_ON_STREAM(cudaMallocAsync, (void** devPtr, size_t size, cudaStream_t hStream), (devPtr, size, hStream)) {
    return call([&] { allocate(devPtr, size, current(), hStream); });
}

CUDART_ON_STREAM(cudaMallocFromPoolAsync, (void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream),
                 (ptr, size, memPool, stream)) {
    return call([&] { allocate(ptr, size, memPool, stream); });
}

CUDART_ON_STREAM(cudaFreeAsync, (void* devPtr, cudaStream_t hStream), (devPtr, hStream)) {
    return callAlways([&] {
        refuseInFunction();
        auto const stream = findStream(hStream);
        refuseWhileCaptured(*stream);
        if (devPtr == nullptr) return;
        auto const isDevice = [](Kind kind) { return kind == Kind::device; };
        auto memory = std::make_shared<Allocation>(allocations().take(devPtr, isDevice, cudaErrorInvalidValue));
        stream->submit([memory] { memory->memory.reset(); });
    });
}

CUDART(cudaMemPoolCreate)(cudaMemPool_t* memPool, cudaMemPoolProps const* poolProps) {
    return call([&] {
        require(memPool != nullptr && poolProps != nullptr);
        require(poolProps->allocType == cudaMemAllocationTypePinned);
        require(poolProps->location.type == cudaMemLocationTypeDevice);
        requireDevice(poolProps->location.id);
        require(poolProps->handleTypes == cudaMemHandleTypeNone, cudaErrorNotSupported); // no other process
        *memPool = static_cast<cudaMemPool_t>(handles().add(std::make_shared<Pool>()));
    });
}

CUDART(cudaMemPoolDestroy)(cudaMemPool_t memPool) {
    return callAlways([&] {
        require(memPool != defaultPool());
        findPool(memPool);
        handles().remove(memPool);
        currentPool.compare_exchange_strong(memPool, nullptr);
    });
}

CUDART(cudaMemPoolTrimTo)(cudaMemPool_t memPool, size_t) {
    return call([&] { findPool(memPool); });
}

CUDART(cudaMemPoolSetAttribute)(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
    return call([&] {
        require(value != nullptr);
        set(*findPool(memPool), attr, value);
    });
}

CUDART(cudaMemPoolGetAttribute)(cudaMemPool_t memPool, cudaMemPoolAttr attr, void* value) {
    return call([&] {
        require(value != nullptr);
        get(*findPool(memPool), attr, value);
    });
}

CUDART(cudaMemPoolSetAccess)(cudaMemPool_t memPool, cudaMemAccessDesc const* descList, size_t count) {
    return call([&] {
        findPool(memPool);
        require(count == 0 || descList != nullptr);
        for (size_t index = 0; index < count; ++index) {
            require(descList[index].location.type == cudaMemLocationTypeDevice);
            requireDevice(descList[index].location.id);
            require(descList[index].flags == cudaMemAccessFlagsProtReadWrite); // its own device always has access
        }
    });
}

CUDART(cudaMemPoolGetAccess)(cudaMemAccessFlags* flags, cudaMemPool_t memPool, cudaMemLocation* location) {
    return call([&] {
        require(flags != nullptr && location != nullptr);
        findPool(memPool);
        require(location->type == cudaMemLocationTypeDevice);
        requireDevice(location->id);
        *flags = cudaMemAccessFlagsProtReadWrite;
    });
}

CUDART(cudaDeviceGetDefaultMemPool)(cudaMemPool_t* memPool, int device) {
    return call([&] {
        require(memPool != nullptr);
        requireDevice(device);
        *memPool = defaultPool();
    });
}

CUDART(cudaDeviceGetMemPool)(cudaMemPool_t* memPool, int device) {
    return call([&] {
        require(memPool != nullptr);
        requireDevice(device);
        *memPool = current();
    });
}

CUDART(cudaDeviceSetMemPool)(int device, cudaMemPool_t memPool) {
    return call([&] {
        requireDevice(device);
        findPool(memPool);
        currentPool = memPool;
    });
}
