// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Functions that the runtime exports and the host does not support. Callers may pass more arguments than are declared
// here, as C's calling convention allows.
#include "export.h"
#include "refusal.h"

#include <cstdint>

using namespace hostcuda;

#define HOSTCUDA_REFUSED(name, refuse)                                                                                 \
    CUDART_HIDDEN(cudaError_t, name)() {                                                                               \
        return call([] { refuse; });                                                                                   \
    }

// ---- these never exist, so none can be destroyed

#define HOSTCUDA_NO_OBJECT(name)                                                                                       \
    CUDART_HIDDEN(cudaError_t, name)(uintptr_t object) {                                                               \
        return callAlways([object] { require(object == 0); });                                                         \
    }
#define HOSTCUDA_NEVER_AN_OBJECT(name)                                                                                 \
    CUDART_HIDDEN(cudaError_t, name)() {                                                                               \
        return callAlways([] { throw Failure{cudaErrorInvalidValue}; });                                               \
    }
// clang-format off
HOSTCUDA_NEVER_AN_OBJECT(cudaDestroyExternalMemory) HOSTCUDA_NEVER_AN_OBJECT(cudaDestroyExternalSemaphore)
HOSTCUDA_NO_OBJECT(cudaDestroySurfaceObject) HOSTCUDA_NO_OBJECT(cudaDestroyTextureObject)
HOSTCUDA_NO_OBJECT(cudaFreeArray) HOSTCUDA_NO_OBJECT(cudaFreeMipmappedArray)
// clang-format on

// ---- graphs: operations of a GPU only

#define HOSTCUDA_NODE(name) HOSTCUDA_REFUSED(name, refuseNode(#name))
    // clang-format off
HOSTCUDA_NODE(cudaDeviceGetGraphMemAttribute) HOSTCUDA_NODE(cudaDeviceGraphMemTrim)
HOSTCUDA_NODE(cudaDeviceSetGraphMemAttribute) HOSTCUDA_NODE(cudaGraphAddExternalSemaphoresSignalNode)
HOSTCUDA_NODE(cudaGraphAddExternalSemaphoresWaitNode) HOSTCUDA_NODE(cudaGraphAddMemAllocNode)
HOSTCUDA_NODE(cudaGraphAddMemFreeNode) HOSTCUDA_NODE(cudaGraphAddMemcpyNodeFromSymbol)
HOSTCUDA_NODE(cudaGraphAddMemcpyNodeToSymbol) HOSTCUDA_NODE(cudaGraphAddNode) HOSTCUDA_NODE(cudaGraphAddNode_v2)
HOSTCUDA_NODE(cudaGraphConditionalHandleCreate) HOSTCUDA_NODE(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
HOSTCUDA_NODE(cudaGraphExecExternalSemaphoresWaitNodeSetParams) HOSTCUDA_NODE(cudaGraphExecKernelNodeSetParams)
HOSTCUDA_NODE(cudaGraphExecMemcpyNodeSetParamsFromSymbol) HOSTCUDA_NODE(cudaGraphExecMemcpyNodeSetParamsToSymbol)
HOSTCUDA_NODE(cudaGraphExecNodeSetParams) HOSTCUDA_NODE(cudaGraphExternalSemaphoresSignalNodeGetParams)
HOSTCUDA_NODE(cudaGraphExternalSemaphoresSignalNodeSetParams)
HOSTCUDA_NODE(cudaGraphExternalSemaphoresWaitNodeGetParams) HOSTCUDA_NODE(cudaGraphExternalSemaphoresWaitNodeSetParams)
HOSTCUDA_NODE(cudaGraphKernelNodeCopyAttributes) HOSTCUDA_NODE(cudaGraphKernelNodeGetAttribute)
HOSTCUDA_NODE(cudaGraphKernelNodeGetParams) HOSTCUDA_NODE(cudaGraphKernelNodeSetAttribute)
HOSTCUDA_NODE(cudaGraphKernelNodeSetParams) HOSTCUDA_NODE(cudaGraphMemAllocNodeGetParams)
HOSTCUDA_NODE(cudaGraphMemFreeNodeGetParams) HOSTCUDA_NODE(cudaGraphMemcpyNodeSetParamsFromSymbol)
HOSTCUDA_NODE(cudaGraphMemcpyNodeSetParamsToSymbol) HOSTCUDA_NODE(cudaGraphNodeGetEnabled)
HOSTCUDA_NODE(cudaGraphNodeSetEnabled) HOSTCUDA_NODE(cudaGraphNodeSetParams)
    // clang-format on

    // ---- arrays, textures and surfaces

    HOSTCUDA_IN_ALL(cudaCreateChannelDesc);
HOSTCUDA_DEFINE(cudaChannelFormatDesc, cudaCreateChannelDesc)(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}

#define HOSTCUDA_ARRAY(name) HOSTCUDA_REFUSED(name, refuseArrays(#name))
#define HOSTCUDA_ARRAY_COPY(name) HOSTCUDA_REFUSED(name, refuseArrayCopy(#name))
// clang-format off
HOSTCUDA_ARRAY(cudaArrayGetInfo) HOSTCUDA_ARRAY(cudaArrayGetMemoryRequirements) HOSTCUDA_ARRAY(cudaArrayGetPlane)
HOSTCUDA_ARRAY(cudaArrayGetSparseProperties) HOSTCUDA_ARRAY(cudaBindSurfaceToArray) HOSTCUDA_ARRAY(cudaBindTexture)
HOSTCUDA_ARRAY(cudaBindTexture2D) HOSTCUDA_ARRAY(cudaBindTextureToArray) HOSTCUDA_ARRAY(cudaBindTextureToMipmappedArray)
HOSTCUDA_ARRAY(cudaCreateSurfaceObject) HOSTCUDA_ARRAY(cudaCreateTextureObject)
HOSTCUDA_ARRAY(cudaDeviceGetTexture1DLinearMaxWidth) HOSTCUDA_ARRAY(cudaGetChannelDesc)
HOSTCUDA_ARRAY(cudaGetMipmappedArrayLevel) HOSTCUDA_ARRAY(cudaGetSurfaceObjectResourceDesc)
HOSTCUDA_ARRAY(cudaGetSurfaceReference) HOSTCUDA_ARRAY(cudaGetTextureAlignmentOffset)
HOSTCUDA_ARRAY(cudaGetTextureObjectResourceDesc) HOSTCUDA_ARRAY(cudaGetTextureObjectResourceViewDesc)
HOSTCUDA_ARRAY(cudaGetTextureObjectTextureDesc) HOSTCUDA_ARRAY(cudaGetTextureReference)
HOSTCUDA_ARRAY(cudaMalloc3DArray) HOSTCUDA_ARRAY(cudaMallocArray) HOSTCUDA_ARRAY(cudaMallocMipmappedArray)
HOSTCUDA_ARRAY_COPY(cudaMemcpy2DArrayToArray) HOSTCUDA_ARRAY_COPY(cudaMemcpy2DArrayToArray_ptds)
HOSTCUDA_ARRAY_COPY(cudaMemcpy2DFromArray) HOSTCUDA_ARRAY_COPY(cudaMemcpy2DFromArrayAsync)
HOSTCUDA_ARRAY_COPY(cudaMemcpy2DFromArrayAsync_ptsz) HOSTCUDA_ARRAY_COPY(cudaMemcpy2DFromArray_ptds)
HOSTCUDA_ARRAY_COPY(cudaMemcpy2DToArray) HOSTCUDA_ARRAY_COPY(cudaMemcpy2DToArrayAsync)
HOSTCUDA_ARRAY_COPY(cudaMemcpy2DToArrayAsync_ptsz) HOSTCUDA_ARRAY_COPY(cudaMemcpy2DToArray_ptds)
HOSTCUDA_ARRAY_COPY(cudaMemcpyArrayToArray) HOSTCUDA_ARRAY_COPY(cudaMemcpyArrayToArray_ptds)
HOSTCUDA_ARRAY_COPY(cudaMemcpyFromArray) HOSTCUDA_ARRAY_COPY(cudaMemcpyFromArrayAsync)
HOSTCUDA_ARRAY_COPY(cudaMemcpyFromArrayAsync_ptsz) HOSTCUDA_ARRAY_COPY(cudaMemcpyFromArray_ptds)
HOSTCUDA_ARRAY_COPY(cudaMemcpyToArray) HOSTCUDA_ARRAY_COPY(cudaMemcpyToArrayAsync)
HOSTCUDA_ARRAY_COPY(cudaMemcpyToArrayAsync_ptsz) HOSTCUDA_ARRAY_COPY(cudaMemcpyToArray_ptds)
HOSTCUDA_ARRAY(cudaMipmappedArrayGetMemoryRequirements) HOSTCUDA_ARRAY(cudaMipmappedArrayGetSparseProperties)
HOSTCUDA_ARRAY(cudaUnbindTexture)
// clang-format on

// ---- variables of device code

#define HOSTCUDA_SYMBOL(name) HOSTCUDA_REFUSED(name, refuseSymbol(#name))
#define HOSTCUDA_SYMBOL_COPY(name) HOSTCUDA_REFUSED(name, refuseSymbolCopy(#name))
    // clang-format off
HOSTCUDA_SYMBOL(cudaGetSymbolAddress) HOSTCUDA_SYMBOL(cudaGetSymbolSize) HOSTCUDA_SYMBOL_COPY(cudaMemcpyFromSymbol)
HOSTCUDA_SYMBOL_COPY(cudaMemcpyFromSymbolAsync) HOSTCUDA_SYMBOL_COPY(cudaMemcpyFromSymbolAsync_ptsz)
HOSTCUDA_SYMBOL_COPY(cudaMemcpyFromSymbol_ptds) HOSTCUDA_SYMBOL_COPY(cudaMemcpyToSymbol)
HOSTCUDA_SYMBOL_COPY(cudaMemcpyToSymbolAsync) HOSTCUDA_SYMBOL_COPY(cudaMemcpyToSymbolAsync_ptsz)
HOSTCUDA_SYMBOL_COPY(cudaMemcpyToSymbol_ptds)
    // clang-format on

    // ---- the driver's functions by name: none exist

    namespace hostcuda {
    namespace {

    cudaError_t findNone(char const* symbol, void** function, cudaDriverEntryPointQueryResult* status) {
        return call([&] {
            require(symbol != nullptr && function != nullptr);
            *function = nullptr;
            if (status != nullptr) *status = cudaDriverEntryPointSymbolNotFound;
        });
    }

    } // namespace
} // namespace hostcuda

CUDART_ON_STREAM(cudaGetDriverEntryPoint,
                 (char const* symbol, void** funcPtr, unsigned long long, cudaDriverEntryPointQueryResult* status),
                 (symbol, funcPtr, {}, status)) {
    return findNone(symbol, funcPtr, status);
}

CUDART_ON_STREAM(cudaGetDriverEntryPointByVersion,
                 (char const* symbol, void** funcPtr, unsigned int, unsigned long long,
                  cudaDriverEntryPointQueryResult* status),
                 (symbol, funcPtr, {}, {}, status)) {
    return findNone(symbol, funcPtr, status);
}

// ---- other processes, other APIs, the driver: an application notices, so the error is not sticky

#define HOSTCUDA_DEVICE(name)                                                                                          \
    CUDART_HIDDEN(cudaError_t, name)() {                                                                               \
        return call([] { throw Failure{cudaErrorNotSupported}; });                                                     \
    }
// clang-format off
HOSTCUDA_DEVICE(__cudaGetProcAddress) HOSTCUDA_DEVICE(cudaDeviceFlushGPUDirectRDMAWrites)
HOSTCUDA_DEVICE(cudaDeviceGetHostAtomicCapabilities) HOSTCUDA_DEVICE(cudaDeviceGetNvSciSyncAttributes)
HOSTCUDA_DEVICE(cudaDeviceGetP2PAtomicCapabilities) HOSTCUDA_DEVICE(cudaDeviceRegisterAsyncNotification)
HOSTCUDA_DEVICE(cudaDeviceUnregisterAsyncNotification) HOSTCUDA_DEVICE(cudaEGLStreamConsumerAcquireFrame)
HOSTCUDA_DEVICE(cudaEGLStreamConsumerConnect) HOSTCUDA_DEVICE(cudaEGLStreamConsumerConnectWithFlags)
HOSTCUDA_DEVICE(cudaEGLStreamConsumerDisconnect) HOSTCUDA_DEVICE(cudaEGLStreamConsumerReleaseFrame)
HOSTCUDA_DEVICE(cudaEGLStreamProducerConnect) HOSTCUDA_DEVICE(cudaEGLStreamProducerDisconnect)
HOSTCUDA_DEVICE(cudaEGLStreamProducerPresentFrame) HOSTCUDA_DEVICE(cudaEGLStreamProducerReturnFrame)
HOSTCUDA_DEVICE(cudaEventCreateFromEGLSync) HOSTCUDA_DEVICE(cudaExternalMemoryGetMappedBuffer)
HOSTCUDA_DEVICE(cudaExternalMemoryGetMappedMipmappedArray) HOSTCUDA_DEVICE(cudaFuncGetParamInfo)
HOSTCUDA_DEVICE(cudaGLGetDevices) HOSTCUDA_DEVICE(cudaGLMapBufferObject) HOSTCUDA_DEVICE(cudaGLMapBufferObjectAsync)
HOSTCUDA_DEVICE(cudaGLRegisterBufferObject) HOSTCUDA_DEVICE(cudaGLSetBufferObjectMapFlags)
HOSTCUDA_DEVICE(cudaGLSetGLDevice) HOSTCUDA_DEVICE(cudaGLUnmapBufferObject)
HOSTCUDA_DEVICE(cudaGLUnmapBufferObjectAsync) HOSTCUDA_DEVICE(cudaGLUnregisterBufferObject)
HOSTCUDA_DEVICE(cudaGetExportTable) HOSTCUDA_DEVICE(cudaGraphicsEGLRegisterImage)
HOSTCUDA_DEVICE(cudaGraphicsGLRegisterBuffer) HOSTCUDA_DEVICE(cudaGraphicsGLRegisterImage)
HOSTCUDA_DEVICE(cudaGraphicsMapResources) HOSTCUDA_DEVICE(cudaGraphicsResourceGetMappedEglFrame)
HOSTCUDA_DEVICE(cudaGraphicsResourceGetMappedMipmappedArray) HOSTCUDA_DEVICE(cudaGraphicsResourceGetMappedPointer)
HOSTCUDA_DEVICE(cudaGraphicsResourceSetMapFlags) HOSTCUDA_DEVICE(cudaGraphicsSubResourceGetMappedArray)
HOSTCUDA_DEVICE(cudaGraphicsUnmapResources) HOSTCUDA_DEVICE(cudaGraphicsUnregisterResource)
HOSTCUDA_DEVICE(cudaGraphicsVDPAURegisterOutputSurface) HOSTCUDA_DEVICE(cudaGraphicsVDPAURegisterVideoSurface)
HOSTCUDA_DEVICE(cudaImportExternalMemory) HOSTCUDA_DEVICE(cudaImportExternalSemaphore)
HOSTCUDA_DEVICE(cudaIpcCloseMemHandle) HOSTCUDA_DEVICE(cudaIpcGetEventHandle) HOSTCUDA_DEVICE(cudaIpcGetMemHandle)
HOSTCUDA_DEVICE(cudaIpcOpenEventHandle) HOSTCUDA_DEVICE(cudaIpcOpenMemHandle)
HOSTCUDA_DEVICE(cudaKernelSetAttributeForDevice) HOSTCUDA_DEVICE(cudaLaunchCooperativeKernelMultiDevice)
HOSTCUDA_DEVICE(cudaLibraryEnumerateKernels) HOSTCUDA_DEVICE(cudaLibraryGetGlobal) HOSTCUDA_DEVICE(cudaLibraryGetKernel)
HOSTCUDA_DEVICE(cudaLibraryGetKernelCount) HOSTCUDA_DEVICE(cudaLibraryGetManaged)
HOSTCUDA_DEVICE(cudaLibraryGetUnifiedFunction) HOSTCUDA_DEVICE(cudaLibraryLoadData)
HOSTCUDA_DEVICE(cudaLibraryLoadFromFile) HOSTCUDA_DEVICE(cudaLibraryUnload) HOSTCUDA_DEVICE(cudaLogsCurrent)
HOSTCUDA_DEVICE(cudaLogsDumpToFile) HOSTCUDA_DEVICE(cudaLogsDumpToMemory) HOSTCUDA_DEVICE(cudaLogsRegisterCallback)
HOSTCUDA_DEVICE(cudaLogsUnregisterCallback) HOSTCUDA_DEVICE(cudaMemDiscardAndPrefetchBatchAsync)
HOSTCUDA_DEVICE(cudaMemDiscardAndPrefetchBatchAsync_ptsz) HOSTCUDA_DEVICE(cudaMemDiscardBatchAsync)
HOSTCUDA_DEVICE(cudaMemDiscardBatchAsync_ptsz) HOSTCUDA_DEVICE(cudaMemGetDefaultMemPool)
HOSTCUDA_DEVICE(cudaMemGetMemPool) HOSTCUDA_DEVICE(cudaMemPoolExportPointer)
HOSTCUDA_DEVICE(cudaMemPoolExportToShareableHandle) HOSTCUDA_DEVICE(cudaMemPoolImportFromShareableHandle)
HOSTCUDA_DEVICE(cudaMemPoolImportPointer) HOSTCUDA_DEVICE(cudaMemPrefetchBatchAsync)
HOSTCUDA_DEVICE(cudaMemPrefetchBatchAsync_ptsz) HOSTCUDA_DEVICE(cudaMemRangeGetAttribute)
HOSTCUDA_DEVICE(cudaMemRangeGetAttributes) HOSTCUDA_DEVICE(cudaMemSetMemPool) HOSTCUDA_DEVICE(cudaMemcpy3DBatchAsync)
HOSTCUDA_DEVICE(cudaMemcpy3DBatchAsync_ptsz) HOSTCUDA_DEVICE(cudaMemcpyBatchAsync)
HOSTCUDA_DEVICE(cudaMemcpyBatchAsync_ptsz) HOSTCUDA_DEVICE(cudaOccupancyMaxActiveClusters)
HOSTCUDA_DEVICE(cudaOccupancyMaxPotentialClusterSize) HOSTCUDA_DEVICE(cudaSignalExternalSemaphoresAsync)
HOSTCUDA_DEVICE(cudaSignalExternalSemaphoresAsync_ptsz) HOSTCUDA_DEVICE(cudaSignalExternalSemaphoresAsync_v2)
HOSTCUDA_DEVICE(cudaSignalExternalSemaphoresAsync_v2_ptsz) HOSTCUDA_DEVICE(cudaVDPAUGetDevice)
HOSTCUDA_DEVICE(cudaVDPAUSetVDPAUDevice) HOSTCUDA_DEVICE(cudaWaitExternalSemaphoresAsync)
HOSTCUDA_DEVICE(cudaWaitExternalSemaphoresAsync_ptsz) HOSTCUDA_DEVICE(cudaWaitExternalSemaphoresAsync_v2)
HOSTCUDA_DEVICE(cudaWaitExternalSemaphoresAsync_v2_ptsz)
    // clang-format on
