// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// What the runtime exports and the host cannot do. A function that takes more arguments than these name ignores them,
// as C's calling convention allows.
#include "export.h"
#include "refusal.h"
#include "stream.h"

using namespace hostcuda;

// The headers' names of these are macros.
#undef cudaStreamGetCaptureInfo

#define HOSTCUDA_REFUSED(name, refuse)                                                                                 \
    CUDART_HIDDEN(cudaError_t, name)() {                                                                               \
        return call([] { refuse; });                                                                                   \
    }

// ---- stream capture: no stream is capturing, whoever asks

namespace hostcuda {
namespace {

cudaError_t tellCapture(cudaStream_t stream, cudaStreamCaptureStatus* status) {
    return call([&] {
        require(status != nullptr);
        findStream(stream);
        *status = cudaStreamCaptureStatusNone;
    });
}

thread_local cudaStreamCaptureMode captureMode = cudaStreamCaptureModeGlobal;

} // namespace
} // namespace hostcuda

CUDART_ON_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, cudaStreamCaptureStatus* pCaptureStatus),
                 (stream, pCaptureStatus)) {
    return tellCapture(stream, pCaptureStatus);
}

// The releases differ in what else they tell, which is nothing where no stream is capturing.
#define HOSTCUDA_CAPTURE_INFO(name)                                                                                    \
    CUDART_HIDDEN(cudaError_t, name)(cudaStream_t stream, cudaStreamCaptureStatus * status) {                          \
        return tellCapture(stream, status);                                                                            \
    }                                                                                                                  \
    CUDART_HIDDEN(cudaError_t, name##_ptsz)(cudaStream_t stream, cudaStreamCaptureStatus * status) {                   \
        ZeroIsThisThreads const scope;                                                                                 \
        return tellCapture(stream, status);                                                                            \
    }
HOSTCUDA_CAPTURE_INFO(cudaStreamGetCaptureInfo)
HOSTCUDA_CAPTURE_INFO(cudaStreamGetCaptureInfo_v2)
HOSTCUDA_CAPTURE_INFO(cudaStreamGetCaptureInfo_v3)

CUDART(cudaThreadExchangeStreamCaptureMode)(cudaStreamCaptureMode* mode) {
    return call([&] {
        require(mode != nullptr && *mode >= cudaStreamCaptureModeGlobal && *mode <= cudaStreamCaptureModeRelaxed);
        std::swap(*mode, captureMode);
    });
}

// ---- there is none of these, so none can be destroyed

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
HOSTCUDA_NO_OBJECT(cudaFreeArray) HOSTCUDA_NO_OBJECT(cudaFreeMipmappedArray) HOSTCUDA_NEVER_AN_OBJECT(cudaGraphDestroy)
HOSTCUDA_NEVER_AN_OBJECT(cudaGraphDestroyNode) HOSTCUDA_NEVER_AN_OBJECT(cudaGraphExecDestroy)
HOSTCUDA_NEVER_AN_OBJECT(cudaGraphReleaseUserObject) HOSTCUDA_NEVER_AN_OBJECT(cudaUserObjectRelease)
// clang-format on

// ---- graphs

#define HOSTCUDA_CAPTURE(name) HOSTCUDA_REFUSED(name, refuseGraphs(#name, cudaErrorStreamCaptureUnsupported))
#define HOSTCUDA_GRAPH(name) HOSTCUDA_REFUSED(name, refuseGraphs(#name, cudaErrorNotSupported))
    // clang-format off
HOSTCUDA_CAPTURE(cudaStreamBeginCapture) HOSTCUDA_CAPTURE(cudaStreamBeginCaptureToGraph)
HOSTCUDA_CAPTURE(cudaStreamBeginCaptureToGraph_ptsz) HOSTCUDA_CAPTURE(cudaStreamBeginCapture_ptsz)
HOSTCUDA_CAPTURE(cudaStreamEndCapture) HOSTCUDA_CAPTURE(cudaStreamEndCapture_ptsz)
HOSTCUDA_CAPTURE(cudaStreamUpdateCaptureDependencies) HOSTCUDA_CAPTURE(cudaStreamUpdateCaptureDependencies_ptsz)
HOSTCUDA_CAPTURE(cudaStreamUpdateCaptureDependencies_v2) HOSTCUDA_CAPTURE(cudaStreamUpdateCaptureDependencies_v2_ptsz)
HOSTCUDA_GRAPH(cudaDeviceGetGraphMemAttribute) HOSTCUDA_GRAPH(cudaDeviceGraphMemTrim)
HOSTCUDA_GRAPH(cudaDeviceSetGraphMemAttribute) HOSTCUDA_GRAPH(cudaGraphAddChildGraphNode)
HOSTCUDA_GRAPH(cudaGraphAddDependencies) HOSTCUDA_GRAPH(cudaGraphAddDependencies_v2)
HOSTCUDA_GRAPH(cudaGraphAddEmptyNode) HOSTCUDA_GRAPH(cudaGraphAddEventRecordNode)
HOSTCUDA_GRAPH(cudaGraphAddEventWaitNode) HOSTCUDA_GRAPH(cudaGraphAddExternalSemaphoresSignalNode)
HOSTCUDA_GRAPH(cudaGraphAddExternalSemaphoresWaitNode) HOSTCUDA_GRAPH(cudaGraphAddHostNode)
HOSTCUDA_GRAPH(cudaGraphAddKernelNode) HOSTCUDA_GRAPH(cudaGraphAddMemAllocNode) HOSTCUDA_GRAPH(cudaGraphAddMemFreeNode)
HOSTCUDA_GRAPH(cudaGraphAddMemcpyNode) HOSTCUDA_GRAPH(cudaGraphAddMemcpyNode1D)
HOSTCUDA_GRAPH(cudaGraphAddMemcpyNodeFromSymbol) HOSTCUDA_GRAPH(cudaGraphAddMemcpyNodeToSymbol)
HOSTCUDA_GRAPH(cudaGraphAddMemsetNode) HOSTCUDA_GRAPH(cudaGraphAddNode) HOSTCUDA_GRAPH(cudaGraphAddNode_v2)
HOSTCUDA_GRAPH(cudaGraphChildGraphNodeGetGraph) HOSTCUDA_GRAPH(cudaGraphClone)
HOSTCUDA_GRAPH(cudaGraphConditionalHandleCreate) HOSTCUDA_GRAPH(cudaGraphCreate) HOSTCUDA_GRAPH(cudaGraphDebugDotPrint)
HOSTCUDA_GRAPH(cudaGraphEventRecordNodeGetEvent) HOSTCUDA_GRAPH(cudaGraphEventRecordNodeSetEvent)
HOSTCUDA_GRAPH(cudaGraphEventWaitNodeGetEvent) HOSTCUDA_GRAPH(cudaGraphEventWaitNodeSetEvent)
HOSTCUDA_GRAPH(cudaGraphExecChildGraphNodeSetParams) HOSTCUDA_GRAPH(cudaGraphExecEventRecordNodeSetEvent)
HOSTCUDA_GRAPH(cudaGraphExecEventWaitNodeSetEvent) HOSTCUDA_GRAPH(cudaGraphExecExternalSemaphoresSignalNodeSetParams)
HOSTCUDA_GRAPH(cudaGraphExecExternalSemaphoresWaitNodeSetParams) HOSTCUDA_GRAPH(cudaGraphExecGetFlags)
HOSTCUDA_GRAPH(cudaGraphExecHostNodeSetParams) HOSTCUDA_GRAPH(cudaGraphExecKernelNodeSetParams)
HOSTCUDA_GRAPH(cudaGraphExecMemcpyNodeSetParams) HOSTCUDA_GRAPH(cudaGraphExecMemcpyNodeSetParams1D)
HOSTCUDA_GRAPH(cudaGraphExecMemcpyNodeSetParamsFromSymbol) HOSTCUDA_GRAPH(cudaGraphExecMemcpyNodeSetParamsToSymbol)
HOSTCUDA_GRAPH(cudaGraphExecMemsetNodeSetParams) HOSTCUDA_GRAPH(cudaGraphExecNodeSetParams)
HOSTCUDA_GRAPH(cudaGraphExecUpdate) HOSTCUDA_GRAPH(cudaGraphExternalSemaphoresSignalNodeGetParams)
HOSTCUDA_GRAPH(cudaGraphExternalSemaphoresSignalNodeSetParams)
HOSTCUDA_GRAPH(cudaGraphExternalSemaphoresWaitNodeGetParams)
HOSTCUDA_GRAPH(cudaGraphExternalSemaphoresWaitNodeSetParams) HOSTCUDA_GRAPH(cudaGraphGetEdges)
HOSTCUDA_GRAPH(cudaGraphGetEdges_v2) HOSTCUDA_GRAPH(cudaGraphGetNodes) HOSTCUDA_GRAPH(cudaGraphGetRootNodes)
HOSTCUDA_GRAPH(cudaGraphHostNodeGetParams) HOSTCUDA_GRAPH(cudaGraphHostNodeSetParams)
HOSTCUDA_GRAPH(cudaGraphInstantiate) HOSTCUDA_GRAPH(cudaGraphInstantiateWithFlags)
HOSTCUDA_GRAPH(cudaGraphInstantiateWithParams) HOSTCUDA_GRAPH(cudaGraphInstantiateWithParams_ptsz)
HOSTCUDA_GRAPH(cudaGraphKernelNodeCopyAttributes) HOSTCUDA_GRAPH(cudaGraphKernelNodeGetAttribute)
HOSTCUDA_GRAPH(cudaGraphKernelNodeGetParams) HOSTCUDA_GRAPH(cudaGraphKernelNodeSetAttribute)
HOSTCUDA_GRAPH(cudaGraphKernelNodeSetParams) HOSTCUDA_GRAPH(cudaGraphLaunch) HOSTCUDA_GRAPH(cudaGraphLaunch_ptsz)
HOSTCUDA_GRAPH(cudaGraphMemAllocNodeGetParams) HOSTCUDA_GRAPH(cudaGraphMemFreeNodeGetParams)
HOSTCUDA_GRAPH(cudaGraphMemcpyNodeGetParams) HOSTCUDA_GRAPH(cudaGraphMemcpyNodeSetParams)
HOSTCUDA_GRAPH(cudaGraphMemcpyNodeSetParams1D) HOSTCUDA_GRAPH(cudaGraphMemcpyNodeSetParamsFromSymbol)
HOSTCUDA_GRAPH(cudaGraphMemcpyNodeSetParamsToSymbol) HOSTCUDA_GRAPH(cudaGraphMemsetNodeGetParams)
HOSTCUDA_GRAPH(cudaGraphMemsetNodeSetParams) HOSTCUDA_GRAPH(cudaGraphNodeFindInClone)
HOSTCUDA_GRAPH(cudaGraphNodeGetDependencies) HOSTCUDA_GRAPH(cudaGraphNodeGetDependencies_v2)
HOSTCUDA_GRAPH(cudaGraphNodeGetDependentNodes) HOSTCUDA_GRAPH(cudaGraphNodeGetDependentNodes_v2)
HOSTCUDA_GRAPH(cudaGraphNodeGetEnabled) HOSTCUDA_GRAPH(cudaGraphNodeGetType) HOSTCUDA_GRAPH(cudaGraphNodeSetEnabled)
HOSTCUDA_GRAPH(cudaGraphNodeSetParams) HOSTCUDA_GRAPH(cudaGraphRemoveDependencies)
HOSTCUDA_GRAPH(cudaGraphRemoveDependencies_v2) HOSTCUDA_GRAPH(cudaGraphRetainUserObject) HOSTCUDA_GRAPH(cudaGraphUpload)
HOSTCUDA_GRAPH(cudaGraphUpload_ptsz) HOSTCUDA_GRAPH(cudaUserObjectCreate) HOSTCUDA_GRAPH(cudaUserObjectRetain)
    // clang-format on

    // ---- arrays, textures and surfaces

    HOSTCUDA_IN_ALL(cudaCreateChannelDesc);
HOSTCUDA_DEFINE(cudaChannelFormatDesc, cudaCreateChannelDesc)(int x, int y, int z, int w, cudaChannelFormatKind f) {
    return {x, y, z, w, f};
}

#define HOSTCUDA_ARRAY(name) HOSTCUDA_REFUSED(name, refuseArrays(#name))
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
HOSTCUDA_ARRAY(cudaMemcpy2DArrayToArray) HOSTCUDA_ARRAY(cudaMemcpy2DArrayToArray_ptds)
HOSTCUDA_ARRAY(cudaMemcpy2DFromArray) HOSTCUDA_ARRAY(cudaMemcpy2DFromArrayAsync)
HOSTCUDA_ARRAY(cudaMemcpy2DFromArrayAsync_ptsz) HOSTCUDA_ARRAY(cudaMemcpy2DFromArray_ptds)
HOSTCUDA_ARRAY(cudaMemcpy2DToArray) HOSTCUDA_ARRAY(cudaMemcpy2DToArrayAsync)
HOSTCUDA_ARRAY(cudaMemcpy2DToArrayAsync_ptsz) HOSTCUDA_ARRAY(cudaMemcpy2DToArray_ptds)
HOSTCUDA_ARRAY(cudaMemcpyArrayToArray) HOSTCUDA_ARRAY(cudaMemcpyArrayToArray_ptds) HOSTCUDA_ARRAY(cudaMemcpyFromArray)
HOSTCUDA_ARRAY(cudaMemcpyFromArrayAsync) HOSTCUDA_ARRAY(cudaMemcpyFromArrayAsync_ptsz)
HOSTCUDA_ARRAY(cudaMemcpyFromArray_ptds) HOSTCUDA_ARRAY(cudaMemcpyToArray) HOSTCUDA_ARRAY(cudaMemcpyToArrayAsync)
HOSTCUDA_ARRAY(cudaMemcpyToArrayAsync_ptsz) HOSTCUDA_ARRAY(cudaMemcpyToArray_ptds)
HOSTCUDA_ARRAY(cudaMipmappedArrayGetMemoryRequirements) HOSTCUDA_ARRAY(cudaMipmappedArrayGetSparseProperties)
HOSTCUDA_ARRAY(cudaUnbindTexture)
// clang-format on

// ---- variables of device code

#define HOSTCUDA_SYMBOL(name) HOSTCUDA_REFUSED(name, refuseSymbol(#name))
    // clang-format off
HOSTCUDA_SYMBOL(cudaGetSymbolAddress) HOSTCUDA_SYMBOL(cudaGetSymbolSize) HOSTCUDA_SYMBOL(cudaMemcpyFromSymbol)
HOSTCUDA_SYMBOL(cudaMemcpyFromSymbolAsync) HOSTCUDA_SYMBOL(cudaMemcpyFromSymbolAsync_ptsz)
HOSTCUDA_SYMBOL(cudaMemcpyFromSymbol_ptds) HOSTCUDA_SYMBOL(cudaMemcpyToSymbol) HOSTCUDA_SYMBOL(cudaMemcpyToSymbolAsync)
HOSTCUDA_SYMBOL(cudaMemcpyToSymbolAsync_ptsz) HOSTCUDA_SYMBOL(cudaMemcpyToSymbol_ptds)
    // clang-format on

    // ---- the driver's functions by name: there are none

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

// ---- other processes, other APIs, the driver: a program notices, so the error does not stick

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
