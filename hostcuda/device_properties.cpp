// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// cudaDeviceProp in the layouts of three releases, filled from the attributes.
#include <cstddef>
#include <cstring>

#include "device.h"
#include "export.h"
#include "host.h"

namespace hostcuda {
namespace {

// CUDA 13 removed fields that became attributes only.
struct Properties13 {
    char name[256];
    cudaUUID_t uuid;
    char luid[8];
    unsigned int luidDeviceNodeMask;
    size_t totalGlobalMem, sharedMemPerBlock;
    int regsPerBlock, warpSize;
    size_t memPitch;
    int maxThreadsPerBlock, maxThreadsDim[3], maxGridSize[3];
    size_t totalConstMem;
    int major, minor;
    size_t textureAlignment, texturePitchAlignment;
    int multiProcessorCount, integrated, canMapHostMemory;
    int maxTexture1D, maxTexture1DMipmap, maxTexture2D[2], maxTexture2DMipmap[2], maxTexture2DLinear[3];
    int maxTexture2DGather[2], maxTexture3D[3], maxTexture3DAlt[3], maxTextureCubemap, maxTexture1DLayered[2];
    int maxTexture2DLayered[3], maxTextureCubemapLayered[2];
    int maxSurface1D, maxSurface2D[2], maxSurface3D[3], maxSurface1DLayered[2], maxSurface2DLayered[3];
    int maxSurfaceCubemap, maxSurfaceCubemapLayered[2];
    size_t surfaceAlignment;
    int concurrentKernels, ECCEnabled, pciBusID, pciDeviceID, pciDomainID, tccDriver, asyncEngineCount;
    int unifiedAddressing, memoryBusWidth, l2CacheSize, persistingL2CacheMaxSize, maxThreadsPerMultiProcessor;
    int streamPrioritiesSupported, globalL1CacheSupported, localL1CacheSupported;
    size_t sharedMemPerMultiprocessor;
    int regsPerMultiprocessor, managedMemory, isMultiGpuBoard, multiGpuBoardGroupID, hostNativeAtomicSupported;
    int pageableMemoryAccess, concurrentManagedAccess, computePreemptionSupported;
    int canUseHostPointerForRegisteredMem, cooperativeLaunch;
    size_t sharedMemPerBlockOptin;
    int pageableMemoryAccessUsesHostPageTables, directManagedMemAccessFromHost, maxBlocksPerMultiProcessor;
    int accessPolicyMaxWindowSize;
    size_t reservedSharedMemPerBlock;
    int hostRegisterSupported, sparseCudaArraySupported, hostRegisterReadOnlySupported;
    int timelineSemaphoreInteropSupported, memoryPoolsSupported, gpuDirectRDMASupported;
    unsigned int gpuDirectRDMAFlushWritesOptions;
    int gpuDirectRDMAWritesOrdering;
    unsigned int memoryPoolSupportedHandleTypes;
    int deferredMappingCudaArraySupported, ipcEventSupported, clusterLaunch, unifiedFunctionPointers;
    int deviceNumaConfig, deviceNumaId, mpsEnabled, hostNumaId;
    unsigned int gpuPciDeviceID, gpuPciSubsystemID;
    int hostNumaMultinodeIpcSupported, reserved[56];
};

// CUDA 11 ends here; 12 appended fields.
constexpr size_t kSize11 = offsetof(cudaDeviceProp, hostRegisterSupported);
static_assert(sizeof(Properties13) == 1008 && sizeof(cudaDeviceProp) == 1032 && kSize11 == 728);

template <class Properties> void setIdentity(Properties& p) {
    host().name.copy(p.name, sizeof(p.name) - 1);
    p.uuid = kUuid;
    p.major = attribute(cudaDevAttrComputeCapabilityMajor);
    p.minor = attribute(cudaDevAttrComputeCapabilityMinor);
    p.multiProcessorCount = attribute(cudaDevAttrMultiProcessorCount);
    p.integrated = attribute(cudaDevAttrIntegrated);
    p.asyncEngineCount = attribute(cudaDevAttrAsyncEngineCount);
    p.concurrentKernels = attribute(cudaDevAttrConcurrentKernels);
    p.streamPrioritiesSupported = attribute(cudaDevAttrStreamPrioritiesSupported);
}

template <class Properties> void setKernelLimits(Properties& p) {
    p.warpSize = attribute(cudaDevAttrWarpSize);
    p.regsPerBlock = attribute(cudaDevAttrMaxRegistersPerBlock);
    p.regsPerMultiprocessor = attribute(cudaDevAttrMaxRegistersPerMultiprocessor);
    p.maxThreadsPerBlock = attribute(cudaDevAttrMaxThreadsPerBlock);
    p.maxThreadsPerMultiProcessor = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
    p.maxBlocksPerMultiProcessor = attribute(cudaDevAttrMaxBlocksPerMultiprocessor);
    for (int axis = 0; axis < 3; ++axis) {
        p.maxThreadsDim[axis] = attribute(static_cast<cudaDeviceAttr>(cudaDevAttrMaxBlockDimX + axis));
        p.maxGridSize[axis] = attribute(static_cast<cudaDeviceAttr>(cudaDevAttrMaxGridDimX + axis));
    }
    p.sharedMemPerBlock = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlock));
    p.sharedMemPerBlockOptin = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin));
    p.sharedMemPerMultiprocessor = static_cast<size_t>(attribute(cudaDevAttrMaxSharedMemoryPerMultiprocessor));
}

template <class Properties> void setMemory(Properties& p) {
    p.totalGlobalMem = host().memory;
    p.totalConstMem = static_cast<size_t>(attribute(cudaDevAttrTotalConstantMemory));
    p.memPitch = static_cast<size_t>(attribute(cudaDevAttrMaxPitch));
    p.textureAlignment = static_cast<size_t>(attribute(cudaDevAttrTextureAlignment));
    p.texturePitchAlignment = static_cast<size_t>(attribute(cudaDevAttrTexturePitchAlignment));
    p.surfaceAlignment = static_cast<size_t>(attribute(cudaDevAttrSurfaceAlignment));
    p.memoryBusWidth = attribute(cudaDevAttrGlobalMemoryBusWidth);
    p.l2CacheSize = attribute(cudaDevAttrL2CacheSize);
    p.canMapHostMemory = attribute(cudaDevAttrCanMapHostMemory);
    p.unifiedAddressing = attribute(cudaDevAttrUnifiedAddressing);
    p.managedMemory = attribute(cudaDevAttrManagedMemory);
    p.pageableMemoryAccess = attribute(cudaDevAttrPageableMemoryAccess);
    p.pageableMemoryAccessUsesHostPageTables = attribute(cudaDevAttrPageableMemoryAccessUsesHostPageTables);
    p.directManagedMemAccessFromHost = attribute(cudaDevAttrDirectManagedMemAccessFromHost);
    p.concurrentManagedAccess = attribute(cudaDevAttrConcurrentManagedAccess);
    p.hostNativeAtomicSupported = attribute(cudaDevAttrHostNativeAtomicSupported);
    p.canUseHostPointerForRegisteredMem = attribute(cudaDevAttrCanUseHostPointerForRegisteredMem);
}

template <class Properties> void setCommon(Properties& p) {
    setIdentity(p);
    setKernelLimits(p);
    setMemory(p);
}

// What only 12 and 13 have.
template <class Properties> void setLater(Properties& p) {
    p.hostRegisterSupported = attribute(cudaDevAttrHostRegisterSupported);
    p.hostRegisterReadOnlySupported = attribute(cudaDevAttrHostRegisterReadOnlySupported);
    p.memoryPoolsSupported = attribute(cudaDevAttrMemoryPoolsSupported);
}

cudaDeviceProp properties12() {
    cudaDeviceProp p = {};
    setCommon(p);
    setLater(p);
    p.clockRate = attribute(cudaDevAttrClockRate);
    p.memoryClockRate = attribute(cudaDevAttrMemoryClockRate);
    p.singleToDoublePrecisionPerfRatio = attribute(cudaDevAttrSingleToDoublePrecisionPerfRatio);
    p.deviceOverlap = attribute(cudaDevAttrGpuOverlap);
    return p;
}

Properties13 properties13() {
    Properties13 p = {};
    setCommon(p);
    setLater(p);
    return p;
}

template <class Properties> cudaError_t tell(void* result, int device, Properties const& properties, size_t bytes) {
    return call([&] {
        require(result != nullptr);
        requireDevice(device);
        std::memcpy(result, &properties, bytes);
    });
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

#undef cudaGetDeviceProperties
HOSTCUDA_IN_11(cudaGetDeviceProperties, "hostcuda_properties11");
HOSTCUDA_IN_13(cudaGetDeviceProperties, "hostcuda_properties13");
__asm__(".symver hostcuda_properties11,cudaGetDeviceProperties@@libcudart.so.12");

extern "C" __attribute__((visibility("default"))) cudaError_t hostcuda_properties11(void* prop, int device) {
    return tell(prop, device, properties12(), kSize11);
}

extern "C" __attribute__((visibility("default"))) cudaError_t hostcuda_properties13(void* prop, int device) {
    return tell(prop, device, properties13(), sizeof(Properties13));
}

CUDART(cudaGetDeviceProperties_v2)(cudaDeviceProp* prop, int device) {
    return tell(prop, device, properties12(), sizeof(cudaDeviceProp));
}
