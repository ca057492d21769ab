// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The CUDA runtime API on host memory, source-compatible with CUDA 12. C and C++.
//
// There is one device, number 0, and it is the host: device memory is host memory, and a pointer from cudaMalloc() may
// be read and written directly. Features that need a GPU (kernels, textures, device symbols, sharing with other
// processes or APIs) return an error; where an application would continue with wrong results (a launch, a copy), the
// error is sticky: a line on stderr names the call, and every later call returns the error until cudaDeviceReset().
// docs/hostcuda.md has the list.
//
// All calls may be made from any thread at any time. All return cudaSuccess or the code that CUDA returns for the same
// mistake, and note an error for cudaGetLastError() of the calling thread. Sizes and pitches are bytes.
#ifndef __CUDA_RUNTIME_API_H__
#define __CUDA_RUNTIME_API_H__

#define CUDART_VERSION 12080
#define __CUDART_API_VERSION CUDART_VERSION

#include "crt/host_defines.h"
#include "driver_types.h"
#include "library_types.h"
#include "surface_types.h"
#include "texture_types.h"
#include "vector_types.h"

// These names have other symbols in CUDA 12, because their earlier meaning differed.
#define cudaGetDeviceProperties cudaGetDeviceProperties_v2
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v2_ptsz
#else
#define cudaStreamGetCaptureInfo cudaStreamGetCaptureInfo_v2
#endif

// With this macro, stream 0 is the calling thread's own stream instead of the one that all threads share.
#if defined(CUDA_API_PER_THREAD_DEFAULT_STREAM)
#define cudaMemcpy cudaMemcpy_ptds
#define cudaMemcpy2D cudaMemcpy2D_ptds
#define cudaMemcpy3D cudaMemcpy3D_ptds
#define cudaMemcpy3DPeer cudaMemcpy3DPeer_ptds
#define cudaMemset cudaMemset_ptds
#define cudaMemset2D cudaMemset2D_ptds
#define cudaMemset3D cudaMemset3D_ptds
#define cudaMemcpyToSymbol cudaMemcpyToSymbol_ptds
#define cudaMemcpyFromSymbol cudaMemcpyFromSymbol_ptds
#define cudaMemcpyAsync cudaMemcpyAsync_ptsz
#define cudaMemcpy2DAsync cudaMemcpy2DAsync_ptsz
#define cudaMemcpy3DAsync cudaMemcpy3DAsync_ptsz
#define cudaMemcpy3DPeerAsync cudaMemcpy3DPeerAsync_ptsz
#define cudaMemcpyToSymbolAsync cudaMemcpyToSymbolAsync_ptsz
#define cudaMemcpyFromSymbolAsync cudaMemcpyFromSymbolAsync_ptsz
#define cudaMemsetAsync cudaMemsetAsync_ptsz
#define cudaMemset2DAsync cudaMemset2DAsync_ptsz
#define cudaMemset3DAsync cudaMemset3DAsync_ptsz
#define cudaMemPrefetchAsync cudaMemPrefetchAsync_ptsz
#define cudaMemPrefetchAsync_v2 cudaMemPrefetchAsync_v2_ptsz
#define cudaMallocAsync cudaMallocAsync_ptsz
#define cudaFreeAsync cudaFreeAsync_ptsz
#define cudaMallocFromPoolAsync cudaMallocFromPoolAsync_ptsz
#define cudaStreamGetPriority cudaStreamGetPriority_ptsz
#define cudaStreamGetFlags cudaStreamGetFlags_ptsz
#define cudaStreamGetId cudaStreamGetId_ptsz
#define cudaStreamGetDevice cudaStreamGetDevice_ptsz
#define cudaStreamCopyAttributes cudaStreamCopyAttributes_ptsz
#define cudaStreamGetAttribute cudaStreamGetAttribute_ptsz
#define cudaStreamSetAttribute cudaStreamSetAttribute_ptsz
#define cudaStreamWaitEvent cudaStreamWaitEvent_ptsz
#define cudaStreamAddCallback cudaStreamAddCallback_ptsz
#define cudaStreamSynchronize cudaStreamSynchronize_ptsz
#define cudaStreamQuery cudaStreamQuery_ptsz
#define cudaStreamAttachMemAsync cudaStreamAttachMemAsync_ptsz
#define cudaStreamBeginCapture cudaStreamBeginCapture_ptsz
#define cudaStreamBeginCaptureToGraph cudaStreamBeginCaptureToGraph_ptsz
#define cudaStreamEndCapture cudaStreamEndCapture_ptsz
#define cudaStreamIsCapturing cudaStreamIsCapturing_ptsz
#define cudaStreamUpdateCaptureDependencies cudaStreamUpdateCaptureDependencies_ptsz
#define cudaEventRecord cudaEventRecord_ptsz
#define cudaEventRecordWithFlags cudaEventRecordWithFlags_ptsz
#define cudaLaunchKernel cudaLaunchKernel_ptsz
#define cudaLaunchKernelExC cudaLaunchKernelExC_ptsz
#define cudaLaunchCooperativeKernel cudaLaunchCooperativeKernel_ptsz
#define cudaLaunchHostFunc cudaLaunchHostFunc_ptsz
#define cudaGraphInstantiateWithParams cudaGraphInstantiateWithParams_ptsz
#define cudaGraphUpload cudaGraphUpload_ptsz
#define cudaGraphLaunch cudaGraphLaunch_ptsz
#define cudaGetDriverEntryPoint cudaGetDriverEntryPoint_ptsz
#define cudaGetDriverEntryPointByVersion cudaGetDriverEntryPointByVersion_ptsz
#endif

#if defined(__cplusplus)
extern "C" {
#endif

// ---- the device

cudaError_t CUDARTAPI cudaGetDeviceCount(int* count); // 1
cudaError_t CUDARTAPI cudaGetDevice(int* device);
cudaError_t CUDARTAPI cudaSetDevice(int device); // cudaErrorInvalidDevice unless 0
cudaError_t CUDARTAPI cudaSetValidDevices(int* device_arr, int len);
cudaError_t CUDARTAPI cudaInitDevice(int device, unsigned int deviceFlags, unsigned int flags);
cudaError_t CUDARTAPI cudaChooseDevice(int* device, const struct cudaDeviceProp* prop);
cudaError_t CUDARTAPI cudaSetDeviceFlags(unsigned int flags);
cudaError_t CUDARTAPI cudaGetDeviceFlags(unsigned int* flags);
// Name, memory, clock, cores and cache are the host's; the compute capability is 8.0, and the rest
// matches it.
cudaError_t CUDARTAPI cudaGetDeviceProperties(struct cudaDeviceProp* prop, int device);
cudaError_t CUDARTAPI cudaDeviceGetAttribute(int* value, enum cudaDeviceAttr attr, int device);
cudaError_t CUDARTAPI cudaDeviceGetByPCIBusId(int* device, char const* pciBusId);
cudaError_t CUDARTAPI cudaDeviceGetPCIBusId(char* pciBusId, int len, int device);
// Waits for all streams.
cudaError_t CUDARTAPI cudaDeviceSynchronize(void);
// Waits for all streams, clears a sticky error and frees all allocations.
cudaError_t CUDARTAPI cudaDeviceReset(void);
cudaError_t CUDARTAPI cudaDeviceSetLimit(enum cudaLimit limit, size_t value); // stored, without effect
cudaError_t CUDARTAPI cudaDeviceGetLimit(size_t* pValue, enum cudaLimit limit);
cudaError_t CUDARTAPI cudaDeviceGetCacheConfig(enum cudaFuncCache* pCacheConfig);
cudaError_t CUDARTAPI cudaDeviceSetCacheConfig(enum cudaFuncCache cacheConfig);
cudaError_t CUDARTAPI cudaDeviceGetSharedMemConfig(enum cudaSharedMemConfig* pConfig);
cudaError_t CUDARTAPI cudaDeviceSetSharedMemConfig(enum cudaSharedMemConfig config);
cudaError_t CUDARTAPI cudaDeviceGetStreamPriorityRange(int* leastPriority, int* greatestPriority); // 0 and -5
cudaError_t CUDARTAPI cudaCtxResetPersistingL2Cache(void);
cudaError_t CUDARTAPI cudaDeviceCanAccessPeer(int* canAccessPeer, int device, int peerDevice);
cudaError_t CUDARTAPI cudaDeviceEnablePeerAccess(int peerDevice, unsigned int flags);
cudaError_t CUDARTAPI cudaDeviceDisablePeerAccess(int peerDevice);
cudaError_t CUDARTAPI cudaDeviceGetP2PAttribute(int* value, enum cudaDeviceP2PAttr attr, int srcDevice, int dstDevice);

// ---- versions and errors

cudaError_t CUDARTAPI cudaDriverGetVersion(int* driverVersion);
// That of the runtime to which the application was linked: 11080, 12080 or 13000.
cudaError_t CUDARTAPI cudaRuntimeGetVersion(int* runtimeVersion);
// The last error of the calling thread; a sticky one stays, any other is cleared by cudaGetLastError().
cudaError_t CUDARTAPI cudaGetLastError(void);
cudaError_t CUDARTAPI cudaPeekAtLastError(void);
// Static texts, never null.
char const* CUDARTAPI cudaGetErrorName(cudaError_t error);
char const* CUDARTAPI cudaGetErrorString(cudaError_t error);

// ---- memory: all of it is the host's, aligned to 256 bytes. Freeing waits for all streams.

cudaError_t CUDARTAPI cudaMalloc(void** devPtr, size_t size);
cudaError_t CUDARTAPI cudaMallocPitch(void** devPtr, size_t* pitch, size_t width, size_t height);
cudaError_t CUDARTAPI cudaMalloc3D(struct cudaPitchedPtr* pitchedDevPtr, struct cudaExtent extent);
cudaError_t CUDARTAPI cudaFree(void* devPtr);
cudaError_t CUDARTAPI cudaMallocHost(void** ptr, size_t size);
cudaError_t CUDARTAPI cudaHostAlloc(void** pHost, size_t size, unsigned int flags);
cudaError_t CUDARTAPI cudaFreeHost(void* ptr);
cudaError_t CUDARTAPI cudaHostRegister(void* ptr, size_t size, unsigned int flags);
cudaError_t CUDARTAPI cudaHostUnregister(void* ptr);
cudaError_t CUDARTAPI cudaHostGetDevicePointer(void** pDevice, void* pHost, unsigned int flags);
cudaError_t CUDARTAPI cudaHostGetFlags(unsigned int* pFlags, void* pHost);
cudaError_t CUDARTAPI cudaMallocManaged(void** devPtr, size_t size,
                                        unsigned int flags HOSTCUDA_DEFAULT(cudaMemAttachGlobal));
cudaError_t CUDARTAPI cudaMemGetInfo(size_t* free, size_t* total);
cudaError_t CUDARTAPI cudaPointerGetAttributes(struct cudaPointerAttributes* attributes, void const* ptr);
cudaError_t CUDARTAPI cudaMemAdvise(void const* devPtr, size_t count, enum cudaMemoryAdvise advice, int device);
cudaError_t CUDARTAPI cudaMemAdvise_v2(void const* devPtr, size_t count, enum cudaMemoryAdvise advice,
                                       struct cudaMemLocation location);
cudaError_t CUDARTAPI cudaMemPrefetchAsync(void const* devPtr, size_t count, int dstDevice,
                                           cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemPrefetchAsync_v2(void const* devPtr, size_t count, struct cudaMemLocation location,
                                              unsigned int flags, cudaStream_t stream HOSTCUDA_DEFAULT(0));

// ---- memory in the order of a stream, and pools, which count what was allocated from them

cudaError_t CUDARTAPI cudaMallocAsync(void** devPtr, size_t size, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaMallocFromPoolAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream);
cudaError_t CUDARTAPI cudaFreeAsync(void* devPtr, cudaStream_t hStream);
cudaError_t CUDARTAPI cudaMemPoolCreate(cudaMemPool_t* memPool, const struct cudaMemPoolProps* poolProps);
cudaError_t CUDARTAPI cudaMemPoolDestroy(cudaMemPool_t memPool);
cudaError_t CUDARTAPI cudaMemPoolTrimTo(cudaMemPool_t memPool, size_t minBytesToKeep);
cudaError_t CUDARTAPI cudaMemPoolSetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value);
cudaError_t CUDARTAPI cudaMemPoolGetAttribute(cudaMemPool_t memPool, enum cudaMemPoolAttr attr, void* value);
cudaError_t CUDARTAPI cudaMemPoolSetAccess(cudaMemPool_t memPool, const struct cudaMemAccessDesc* descList,
                                           size_t count);
cudaError_t CUDARTAPI cudaMemPoolGetAccess(enum cudaMemAccessFlags* flags, cudaMemPool_t memPool,
                                           struct cudaMemLocation* location);
cudaError_t CUDARTAPI cudaDeviceGetDefaultMemPool(cudaMemPool_t* memPool, int device);
cudaError_t CUDARTAPI cudaDeviceGetMemPool(cudaMemPool_t* memPool, int device);
cudaError_t CUDARTAPI cudaDeviceSetMemPool(int device, cudaMemPool_t memPool);

// ---- copies. A range that leaves a known allocation, or the wrong direction of one, is cudaErrorInvalidValue; memory
// that the runtime does not know (the stack, the heap, an engine's own) is accepted on either side. The calls without a
// stream wait for the work; those with one do it in the stream's order.

cudaError_t CUDARTAPI cudaMemcpy(void* dst, void const* src, size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpyAsync(void* dst, void const* src, size_t count, enum cudaMemcpyKind kind,
                                      cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyPeer(void* dst, int dstDevice, void const* src, int srcDevice, size_t count);
cudaError_t CUDARTAPI cudaMemcpyPeerAsync(void* dst, int dstDevice, void const* src, int srcDevice, size_t count,
                                          cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy2D(void* dst, size_t dpitch, void const* src, size_t spitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DAsync(void* dst, size_t dpitch, void const* src, size_t spitch, size_t width,
                                        size_t height, enum cudaMemcpyKind kind,
                                        cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy3D(const struct cudaMemcpy3DParms* p);
cudaError_t CUDARTAPI cudaMemcpy3DAsync(const struct cudaMemcpy3DParms* p, cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms* p);
cudaError_t CUDARTAPI cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms* p,
                                            cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemset(void* devPtr, int value, size_t count);
cudaError_t CUDARTAPI cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemset2D(void* devPtr, size_t pitch, int value, size_t width, size_t height);
cudaError_t CUDARTAPI cudaMemset2DAsync(void* devPtr, size_t pitch, int value, size_t width, size_t height,
                                        cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemset3D(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent);
cudaError_t CUDARTAPI cudaMemset3DAsync(struct cudaPitchedPtr pitchedDevPtr, int value, struct cudaExtent extent,
                                        cudaStream_t stream HOSTCUDA_DEFAULT(0));

// ---- streams: each executes its work in order; see docs/hostcuda.md for when

cudaError_t CUDARTAPI cudaStreamCreate(cudaStream_t* pStream);
cudaError_t CUDARTAPI cudaStreamCreateWithFlags(cudaStream_t* pStream, unsigned int flags);
cudaError_t CUDARTAPI cudaStreamCreateWithPriority(cudaStream_t* pStream, unsigned int flags, int priority);
// Work that was submitted to the stream is still executed.
cudaError_t CUDARTAPI cudaStreamDestroy(cudaStream_t stream);
cudaError_t CUDARTAPI cudaStreamGetPriority(cudaStream_t hStream, int* priority);
cudaError_t CUDARTAPI cudaStreamGetFlags(cudaStream_t hStream, unsigned int* flags);
cudaError_t CUDARTAPI cudaStreamGetId(cudaStream_t hStream, unsigned long long* streamId);
cudaError_t CUDARTAPI cudaStreamGetDevice(cudaStream_t hStream, int* device);
cudaError_t CUDARTAPI cudaStreamCopyAttributes(cudaStream_t dst, cudaStream_t src);
cudaError_t CUDARTAPI cudaStreamGetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                             cudaStreamAttrValue* value_out);
cudaError_t CUDARTAPI cudaStreamSetAttribute(cudaStream_t hStream, cudaStreamAttrID attr,
                                             cudaStreamAttrValue const* value);
cudaError_t CUDARTAPI cudaStreamSynchronize(cudaStream_t stream);
cudaError_t CUDARTAPI cudaStreamQuery(cudaStream_t stream); // cudaErrorNotReady while work is left
cudaError_t CUDARTAPI cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event,
                                          unsigned int flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamAttachMemAsync(cudaStream_t stream, void* devPtr, size_t length HOSTCUDA_DEFAULT(0),
                                               unsigned int flags HOSTCUDA_DEFAULT(cudaMemAttachSingle));

typedef void(CUDART_CB* cudaStreamCallback_t)(cudaStream_t stream, cudaError_t status, void* userData);
// Functions of the caller run on a thread of the runtime and must not call the runtime: such calls return
// cudaErrorNotPermitted.
cudaError_t CUDARTAPI cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* userData,
                                            unsigned int flags);
cudaError_t CUDARTAPI cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t fn, void* userData);

// ---- events

cudaError_t CUDARTAPI cudaEventCreate(cudaEvent_t* event);
cudaError_t CUDARTAPI cudaEventCreateWithFlags(cudaEvent_t* event, unsigned int flags);
cudaError_t CUDARTAPI cudaEventDestroy(cudaEvent_t event);
cudaError_t CUDARTAPI cudaEventRecord(cudaEvent_t event, cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream HOSTCUDA_DEFAULT(0),
                                               unsigned int flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaEventQuery(cudaEvent_t event);
cudaError_t CUDARTAPI cudaEventSynchronize(cudaEvent_t event);
cudaError_t CUDARTAPI cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t end);

// ---- refused with a sticky error: kernels

cudaError_t CUDARTAPI cudaLaunchKernel(void const* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem,
                                       cudaStream_t stream);
cudaError_t CUDARTAPI cudaLaunchKernelExC(cudaLaunchConfig_t const* config, void const* func, void** args);
cudaError_t CUDARTAPI cudaLaunchCooperativeKernel(void const* func, dim3 gridDim, dim3 blockDim, void** args,
                                                  size_t sharedMem, cudaStream_t stream);

// ---- kernels' attributes: setters have no effect; getters return the common values of all kernels

cudaError_t CUDARTAPI cudaFuncGetAttributes(struct cudaFuncAttributes* attr, void const* func);
cudaError_t CUDARTAPI cudaFuncSetAttribute(void const* func, enum cudaFuncAttribute attr, int value);
cudaError_t CUDARTAPI cudaFuncSetCacheConfig(void const* func, enum cudaFuncCache cacheConfig);
cudaError_t CUDARTAPI cudaFuncSetSharedMemConfig(void const* func, enum cudaSharedMemConfig config);
cudaError_t CUDARTAPI cudaFuncGetName(char const** name, void const* func);
// The number of blocks of a kernel that fit: by threads alone, as if it needed no registers and no shared memory.
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, void const* func, int blockSize,
                                                                    size_t dynamicSMemSize);
cudaError_t CUDARTAPI cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, void const* func,
                                                                             int blockSize, size_t dynamicSMemSize,
                                                                             unsigned int flags);
cudaError_t CUDARTAPI cudaOccupancyAvailableDynamicSMemPerBlock(size_t* dynamicSmemSize, void const* func,
                                                                int numBlocks, int blockSize);

// ---- refused: device symbols

cudaError_t CUDARTAPI cudaMemcpyToSymbol(void const* symbol, void const* src, size_t count,
                                         size_t offset HOSTCUDA_DEFAULT(0),
                                         enum cudaMemcpyKind kind HOSTCUDA_DEFAULT(cudaMemcpyHostToDevice));
cudaError_t CUDARTAPI cudaMemcpyFromSymbol(void* dst, void const* symbol, size_t count,
                                           size_t offset HOSTCUDA_DEFAULT(0),
                                           enum cudaMemcpyKind kind HOSTCUDA_DEFAULT(cudaMemcpyDeviceToHost));
cudaError_t CUDARTAPI cudaMemcpyToSymbolAsync(void const* symbol, void const* src, size_t count, size_t offset,
                                              enum cudaMemcpyKind kind, cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMemcpyFromSymbolAsync(void* dst, void const* symbol, size_t count, size_t offset,
                                                enum cudaMemcpyKind kind, cudaStream_t stream HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaGetSymbolAddress(void** devPtr, void const* symbol);
cudaError_t CUDARTAPI cudaGetSymbolSize(size_t* size, void const* symbol);

// ---- stream capture: operations submitted to a stream between begin and end become a graph instead. A call that a
// capture forbids returns the same code as on a GPU (900 to 908), and the capture is invalidated.

cudaError_t CUDARTAPI cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode);
cudaError_t CUDARTAPI cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                                    cudaGraphNode_t const* dependencies,
                                                    cudaGraphEdgeData const* dependencyData, size_t numDependencies,
                                                    enum cudaStreamCaptureMode mode);
cudaError_t CUDARTAPI cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* pGraph);
cudaError_t CUDARTAPI cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus* pCaptureStatus);
cudaError_t CUDARTAPI cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus* captureStatus_out,
                                               unsigned long long* id_out HOSTCUDA_DEFAULT(0),
                                               cudaGraph_t* graph_out HOSTCUDA_DEFAULT(0),
                                               cudaGraphNode_t const** dependencies_out HOSTCUDA_DEFAULT(0),
                                               size_t* numDependencies_out HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* dependencies,
                                                          size_t numDependencies,
                                                          unsigned int flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode* mode);

// ---- graphs: nodes that copy, fill, call functions of the application, wait for events, or are graphs. A launch
// executes them one after another, in the order of the stream.
cudaError_t CUDARTAPI cudaGraphCreate(cudaGraph_t* pGraph, unsigned int flags);
cudaError_t CUDARTAPI cudaGraphDestroy(cudaGraph_t graph);
cudaError_t CUDARTAPI cudaGraphClone(cudaGraph_t* pGraphClone, cudaGraph_t originalGraph);
cudaError_t CUDARTAPI cudaGraphNodeFindInClone(cudaGraphNode_t* pNode, cudaGraphNode_t originalNode,
                                               cudaGraph_t clonedGraph);
cudaError_t CUDARTAPI cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                           unsigned long long flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphInstantiateWithFlags(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                                    unsigned long long flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphInstantiateWithParams(cudaGraphExec_t* pGraphExec, cudaGraph_t graph,
                                                     cudaGraphInstantiateParams* instantiateParams);
cudaError_t CUDARTAPI cudaGraphExecGetFlags(cudaGraphExec_t graphExec, unsigned long long* flags);
cudaError_t CUDARTAPI cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph,
                                          cudaGraphExecUpdateResultInfo* resultInfo);
cudaError_t CUDARTAPI cudaGraphUpload(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGraphLaunch(cudaGraphExec_t graphExec, cudaStream_t stream);
cudaError_t CUDARTAPI cudaGraphExecDestroy(cudaGraphExec_t graphExec);
cudaError_t CUDARTAPI cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* numNodes);
cudaError_t CUDARTAPI cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* pRootNodes, size_t* pNumRootNodes);
cudaError_t CUDARTAPI cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                                        size_t* numEdges);
cudaError_t CUDARTAPI cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType* pType);
cudaError_t CUDARTAPI cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* pDependencies,
                                                   size_t* pNumDependencies);
cudaError_t CUDARTAPI cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* pDependentNodes,
                                                     size_t* pNumDependentNodes);
cudaError_t CUDARTAPI cudaGraphAddDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                               cudaGraphNode_t const* to, size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphRemoveDependencies(cudaGraph_t graph, cudaGraphNode_t const* from,
                                                  cudaGraphNode_t const* to, size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphDestroyNode(cudaGraphNode_t node);
cudaError_t CUDARTAPI cudaGraphAddEmptyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                            cudaGraphNode_t const* pDependencies, size_t numDependencies);
cudaError_t CUDARTAPI cudaGraphAddHostNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                           cudaGraphNode_t const* pDependencies, size_t numDependencies,
                                           const struct cudaHostNodeParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphAddMemcpyNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             cudaGraphNode_t const* pDependencies, size_t numDependencies,
                                             const struct cudaMemcpy3DParms* pCopyParams);
cudaError_t CUDARTAPI cudaGraphAddMemcpyNode1D(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                               cudaGraphNode_t const* pDependencies, size_t numDependencies, void* dst,
                                               void const* src, size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphAddMemsetNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             cudaGraphNode_t const* pDependencies, size_t numDependencies,
                                             const struct cudaMemsetParams* pMemsetParams);
cudaError_t CUDARTAPI cudaGraphAddChildGraphNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                 cudaGraphNode_t const* pDependencies, size_t numDependencies,
                                                 cudaGraph_t childGraph);
cudaError_t CUDARTAPI cudaGraphAddEventRecordNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                  cudaGraphNode_t const* pDependencies, size_t numDependencies,
                                                  cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphAddEventWaitNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                                cudaGraphNode_t const* pDependencies, size_t numDependencies,
                                                cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphHostNodeSetParams(cudaGraphNode_t node, const struct cudaHostNodeParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms* pNodeParams);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const struct cudaMemcpy3DParms* pNodeParams);
cudaError_t CUDARTAPI cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* dst, void const* src, size_t count,
                                                     enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const struct cudaMemsetParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* pGraph);
cudaError_t CUDARTAPI cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out);
cudaError_t CUDARTAPI cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event_out);
cudaError_t CUDARTAPI cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphExecHostNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                     const struct cudaHostNodeParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                       const struct cudaMemcpy3DParms* pNodeParams);
cudaError_t CUDARTAPI cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t hGraphExec, cudaGraphNode_t node, void* dst,
                                                         void const* src, size_t count, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                       const struct cudaMemsetParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t hGraphExec, cudaGraphNode_t node,
                                                           cudaGraph_t childGraph);
cudaError_t CUDARTAPI cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                           cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t hGraphExec, cudaGraphNode_t hNode,
                                                         cudaEvent_t event);
cudaError_t CUDARTAPI cudaGraphDebugDotPrint(cudaGraph_t graph, char const* path, unsigned int flags);
// An object that lives as long as the graphs that retain it, and their instances.

cudaError_t CUDARTAPI cudaUserObjectCreate(cudaUserObject_t* object_out, void* ptr, cudaHostFn_t destroy,
                                           unsigned int initialRefcount, unsigned int flags);
cudaError_t CUDARTAPI cudaUserObjectRetain(cudaUserObject_t object, unsigned int count HOSTCUDA_DEFAULT(1));
cudaError_t CUDARTAPI cudaUserObjectRelease(cudaUserObject_t object, unsigned int count HOSTCUDA_DEFAULT(1));
cudaError_t CUDARTAPI cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                unsigned int count HOSTCUDA_DEFAULT(1),
                                                unsigned int flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                 unsigned int count HOSTCUDA_DEFAULT(1));

// ---- refused: graphs' nodes that launch kernels
cudaError_t CUDARTAPI cudaGraphAddKernelNode(cudaGraphNode_t* pGraphNode, cudaGraph_t graph,
                                             cudaGraphNode_t const* pDependencies, size_t numDependencies,
                                             const struct cudaKernelNodeParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams* pNodeParams);
cudaError_t CUDARTAPI cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
                                                   const struct cudaKernelNodeParams* pNodeParams);

// ---- refused, copies with a sticky error: arrays, textures and surfaces

struct cudaChannelFormatDesc CUDARTAPI cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind f);
cudaError_t CUDARTAPI cudaGetChannelDesc(struct cudaChannelFormatDesc* desc, cudaArray_const_t array);
cudaError_t CUDARTAPI cudaMallocArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc, size_t width,
                                      size_t height HOSTCUDA_DEFAULT(0), unsigned int flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaMalloc3DArray(cudaArray_t* array, const struct cudaChannelFormatDesc* desc,
                                        struct cudaExtent extent, unsigned int flags HOSTCUDA_DEFAULT(0));
cudaError_t CUDARTAPI cudaFreeArray(cudaArray_t array);
cudaError_t CUDARTAPI cudaArrayGetInfo(struct cudaChannelFormatDesc* desc, struct cudaExtent* extent,
                                       unsigned int* flags, cudaArray_t array);
cudaError_t CUDARTAPI cudaMemcpy2DToArray(cudaArray_t dst, size_t wOffset, size_t hOffset, void const* src,
                                          size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaMemcpy2DFromArray(void* dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                            size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind);
cudaError_t CUDARTAPI cudaCreateTextureObject(cudaTextureObject_t* pTexObject, const struct cudaResourceDesc* pResDesc,
                                              const struct cudaTextureDesc* pTexDesc,
                                              const struct cudaResourceViewDesc* pResViewDesc);
cudaError_t CUDARTAPI cudaDestroyTextureObject(cudaTextureObject_t texObject);
cudaError_t CUDARTAPI cudaCreateSurfaceObject(cudaSurfaceObject_t* pSurfObject,
                                              const struct cudaResourceDesc* pResDesc);
cudaError_t CUDARTAPI cudaDestroySurfaceObject(cudaSurfaceObject_t surfObject);

// ---- refused: sharing with other processes and the driver's own functions

cudaError_t CUDARTAPI cudaIpcGetEventHandle(cudaIpcEventHandle_t* handle, cudaEvent_t event);
cudaError_t CUDARTAPI cudaIpcOpenEventHandle(cudaEvent_t* event, cudaIpcEventHandle_t handle);
cudaError_t CUDARTAPI cudaIpcGetMemHandle(cudaIpcMemHandle_t* handle, void* devPtr);
cudaError_t CUDARTAPI cudaIpcOpenMemHandle(void** devPtr, cudaIpcMemHandle_t handle, unsigned int flags);
cudaError_t CUDARTAPI cudaIpcCloseMemHandle(void* devPtr);
cudaError_t CUDARTAPI
cudaGetDriverEntryPoint(char const* symbol, void** funcPtr, unsigned long long flags,
                        enum cudaDriverEntryPointQueryResult* driverStatus HOSTCUDA_DEFAULT(NULL));
cudaError_t CUDARTAPI
cudaGetDriverEntryPointByVersion(char const* symbol, void** funcPtr, unsigned int cudaVersion, unsigned long long flags,
                                 enum cudaDriverEntryPointQueryResult* driverStatus HOSTCUDA_DEFAULT(NULL));

#if defined(__cplusplus)
}
#endif

#if defined(__cplusplus) && !defined(HOSTCUDA_NO_OVERLOADS)
extern "C++" {

// ---- graphs, as releases before 12 made and updated them: those releases had them in this header, and applications
// include no other

inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* pGraphExec, cudaGraph_t graph, cudaGraphNode_t*, char*,
                                        size_t) {
    return ::cudaGraphInstantiate(pGraphExec, graph, 0);
}

inline cudaError_t cudaGraphExecUpdate(cudaGraphExec_t hGraphExec, cudaGraph_t hGraph, cudaGraphNode_t* hErrorNode_out,
                                       cudaGraphExecUpdateResult* updateResult_out) {
    cudaGraphExecUpdateResultInfo info = {};
    cudaError_t const status = ::cudaGraphExecUpdate(hGraphExec, hGraph, &info);
    if (hErrorNode_out != nullptr) *hErrorNode_out = info.errorNode;
    if (updateResult_out != nullptr) *updateResult_out = info.result;
    return status;
}
}
#endif

#endif
