// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include "device.h"

#include <atomic>
#include <climits>
#include <cstring>

#include "allocations.h"
#include "capture.h"
#include "export.h"
#include "host.h"

namespace hostcuda {
namespace {

struct Value {
    cudaDeviceAttr attr;
    int value;
};

// Attributes that are not listed are 0 on the host.
constexpr Value kValues[] = {
    {cudaDevAttrMaxThreadsPerBlock, kThreadsPerBlock},
    {cudaDevAttrMaxBlockDimX, 1024},
    {cudaDevAttrMaxBlockDimY, 1024},
    {cudaDevAttrMaxBlockDimZ, 64},
    {cudaDevAttrMaxGridDimX, INT_MAX},
    {cudaDevAttrMaxGridDimY, 65535},
    {cudaDevAttrMaxGridDimZ, 65535},
    {cudaDevAttrMaxSharedMemoryPerBlock, kSharedMemoryPerBlock},
    {cudaDevAttrMaxSharedMemoryPerBlockOptin, kSharedMemoryPerBlock},
    {cudaDevAttrMaxSharedMemoryPerMultiprocessor, kSharedMemoryPerBlock},
    {cudaDevAttrTotalConstantMemory, 64 << 10},
    {cudaDevAttrWarpSize, kWarp},
    {cudaDevAttrMaxPitch, INT_MAX},
    {cudaDevAttrMaxRegistersPerBlock, 64 << 10},
    {cudaDevAttrMaxRegistersPerMultiprocessor, 64 << 10},
    {cudaDevAttrTextureAlignment, 512},
    {cudaDevAttrTexturePitchAlignment, 32},
    {cudaDevAttrSurfaceAlignment, 512},
    {cudaDevAttrGpuOverlap, 1},
    {cudaDevAttrAsyncEngineCount, 1},
    {cudaDevAttrIntegrated, 1},
    {cudaDevAttrCanMapHostMemory, 1},
    {cudaDevAttrUnifiedAddressing, 1},
    {cudaDevAttrConcurrentKernels, 1},
    {cudaDevAttrStreamPrioritiesSupported, 1},
    {cudaDevAttrManagedMemory, 1},
    {cudaDevAttrConcurrentManagedAccess, 1},
    {cudaDevAttrPageableMemoryAccess, 1},
    {cudaDevAttrPageableMemoryAccessUsesHostPageTables, 1},
    {cudaDevAttrDirectManagedMemAccessFromHost, 1},
    {cudaDevAttrHostNativeAtomicSupported, 1},
    {cudaDevAttrCanUseHostPointerForRegisteredMem, 1},
    {cudaDevAttrHostRegisterSupported, 1},
    {cudaDevAttrHostRegisterReadOnlySupported, 1},
    {cudaDevAttrMemoryPoolsSupported, 1},
    {cudaDevAttrMaxThreadsPerMultiProcessor, kThreadsPerProcessor},
    {cudaDevAttrMaxBlocksPerMultiprocessor, kBlocksPerProcessor},
    {cudaDevAttrComputeCapabilityMajor, 8},
    {cudaDevAttrComputeCapabilityMinor, 0},
    {cudaDevAttrSingleToDoublePrecisionPerfRatio, 2},
    {cudaDevAttrMemoryClockRate, 1600000},
    {cudaDevAttrGlobalMemoryBusWidth, 128},
};
constexpr int kLastAttribute = 148;

// Stored and returned, without effect.
std::atomic<unsigned> deviceFlags{cudaDeviceScheduleAuto};
std::atomic<cudaFuncCache> cacheConfig{cudaFuncCachePreferNone};
std::atomic<cudaSharedMemConfig> sharedMemConfig{cudaSharedMemBankSizeFourByte};
std::atomic<size_t> limits[] = {1024, 1 << 20, 8 << 20, 2, 2048, 64, 0}; // by cudaLimit

std::atomic<size_t>& limit(cudaLimit which) {
    require(which >= cudaLimitStackSize && which <= cudaLimitPersistingL2CacheSize);
    return limits[which];
}

} // namespace

int attribute(cudaDeviceAttr attr) {
    require(attr >= 1 && attr <= kLastAttribute);
    if (attr == cudaDevAttrMultiProcessorCount) return host().cores;
    if (attr == cudaDevAttrClockRate) return host().clock;
    if (attr == cudaDevAttrL2CacheSize) return host().cache;
    for (Value const& entry : kValues) {
        if (entry.attr == attr) return entry.value;
    }
    return 0;
}

} // namespace hostcuda

using namespace hostcuda;

CUDART(cudaGetDeviceCount)(int* count) {
    return callAlways([&] {
        require(count != nullptr);
        *count = 1;
    });
}

CUDART(cudaGetDevice)(int* device) {
    return callAlways([&] {
        require(device != nullptr);
        *device = 0;
    });
}

CUDART(cudaSetDevice)(int device) {
    return call([&] { requireDevice(device); });
}

CUDART(cudaInitDevice)(int device, unsigned int, unsigned int) {
    return call([&] { requireDevice(device); });
}

CUDART(cudaSetValidDevices)(int* device_arr, int len) {
    return call([&] {
        require(len == 0 || device_arr != nullptr);
        require(len >= 0 && len <= 1, cudaErrorInvalidDevice);
        if (len == 1) requireDevice(device_arr[0]);
    });
}

CUDART(cudaChooseDevice)(int* device, cudaDeviceProp const* prop) {
    return call([&] {
        require(device != nullptr && prop != nullptr);
        *device = 0;
    });
}

CUDART(cudaSetDeviceFlags)(unsigned int flags) {
    return call([&] {
        require((flags & ~static_cast<unsigned>(cudaDeviceMask)) == 0);
        deviceFlags = flags;
    });
}

CUDART(cudaGetDeviceFlags)(unsigned int* flags) {
    return call([&] {
        require(flags != nullptr);
        *flags = deviceFlags | cudaDeviceMapHost;
    });
}

CUDART(cudaDeviceGetAttribute)(int* value, cudaDeviceAttr attr, int device) {
    return call([&] {
        require(value != nullptr);
        requireDevice(device);
        *value = attribute(attr);
    });
}

CUDART(cudaDeviceGetPCIBusId)(char* pciBusId, int len, int device) {
    return call([&] {
        require(pciBusId != nullptr && len >= static_cast<int>(sizeof(kPciBusId)));
        requireDevice(device);
        std::memcpy(pciBusId, kPciBusId, sizeof(kPciBusId));
    });
}

CUDART(cudaDeviceGetByPCIBusId)(int* device, char const* pciBusId) {
    return call([&] {
        require(device != nullptr && pciBusId != nullptr);
        require(std::strcmp(pciBusId, kPciBusId) == 0);
        *device = 0;
    });
}

CUDART(cudaDeviceReset)() {
    abandonCaptures();
    waitForEverything();
    allocations().clear();
    unstick();
    return cudaSuccess;
}

CUDART(cudaDeviceSetLimit)(cudaLimit which, size_t value) {
    return call([&] { limit(which) = value; });
}

CUDART(cudaDeviceGetLimit)(size_t* pValue, cudaLimit which) {
    return call([&] {
        require(pValue != nullptr);
        *pValue = limit(which);
    });
}

CUDART(cudaDeviceGetCacheConfig)(cudaFuncCache* pCacheConfig) {
    return call([&] {
        require(pCacheConfig != nullptr);
        *pCacheConfig = cacheConfig;
    });
}

CUDART(cudaDeviceSetCacheConfig)(cudaFuncCache config) {
    return call([&] {
        require(config >= cudaFuncCachePreferNone && config <= cudaFuncCachePreferEqual);
        cacheConfig = config;
    });
}

CUDART(cudaDeviceGetSharedMemConfig)(cudaSharedMemConfig* pConfig) {
    return call([&] {
        require(pConfig != nullptr);
        *pConfig = sharedMemConfig;
    });
}

CUDART(cudaDeviceSetSharedMemConfig)(cudaSharedMemConfig config) {
    return call([&] {
        require(config >= cudaSharedMemBankSizeDefault && config <= cudaSharedMemBankSizeEightByte);
        sharedMemConfig = config;
    });
}

CUDART(cudaCtxResetPersistingL2Cache)() { return stuck(); }

CUDART(cudaDeviceCanAccessPeer)(int* canAccessPeer, int device, int peerDevice) {
    return call([&] {
        require(canAccessPeer != nullptr);
        requireDevice(device);
        requireDevice(peerDevice);
        *canAccessPeer = 0; // a device is not its own peer
    });
}

CUDART(cudaDeviceEnablePeerAccess)(int peerDevice, unsigned int) {
    return call([&] {
        requireDevice(peerDevice);
        throw Failure{cudaErrorPeerAccessUnsupported};
    });
}

CUDART(cudaDeviceDisablePeerAccess)(int peerDevice) {
    return call([&] {
        requireDevice(peerDevice);
        throw Failure{cudaErrorPeerAccessNotEnabled};
    });
}

CUDART(cudaDeviceGetP2PAttribute)(int* value, cudaDeviceP2PAttr, int srcDevice, int dstDevice) {
    return call([&] {
        require(value != nullptr);
        requireDevice(srcDevice);
        requireDevice(dstDevice);
        throw Failure{cudaErrorInvalidDevice}; // a device is not its own peer
    });
}

CUDART(cudaDriverGetVersion)(int* driverVersion) {
    return callAlways([&] {
        require(driverVersion != nullptr);
        *driverVersion = 13000;
    });
}

namespace hostcuda {
namespace {

cudaError_t tellVersion(int* result, int version) {
    return callAlways([&] {
        require(result != nullptr);
        *result = version;
    });
}

} // namespace
} // namespace hostcuda

HOSTCUDA_IN_11(cudaRuntimeGetVersion, "hostcuda_version11");
HOSTCUDA_IN_12(cudaRuntimeGetVersion);
HOSTCUDA_IN_13(cudaRuntimeGetVersion, "hostcuda_version13");
extern "C" __attribute__((visibility("default"))) cudaError_t hostcuda_version11(int* runtimeVersion) {
    return tellVersion(runtimeVersion, 11080);
}
HOSTCUDA_DEFINE(cudaError_t, cudaRuntimeGetVersion)(int* runtimeVersion) {
    return tellVersion(runtimeVersion, CUDART_VERSION);
}
extern "C" __attribute__((visibility("default"))) cudaError_t hostcuda_version13(int* runtimeVersion) {
    return tellVersion(runtimeVersion, 13000);
}

CUDART(cudaProfilerStart)() { return stuck(); }
CUDART(cudaProfilerStop)() { return stuck(); }
