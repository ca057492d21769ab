// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The runtime API with its C++ additions: typed pointers, kernels as functions, device symbols as variables.
#ifndef __CUDA_RUNTIME_H__
#define __CUDA_RUNTIME_H__

#include "builtin_types.h"
#include "channel_descriptor.h"
#include "cuda_runtime_api.h"
#include "device_launch_parameters.h"
#include "driver_functions.h"
#include "vector_functions.h"

#if defined(__cplusplus)

// ---- memory of a type

template <class T> inline cudaError_t cudaMalloc(T** devPtr, size_t size) {
    return ::cudaMalloc(reinterpret_cast<void**>(devPtr), size);
}

template <class T> inline cudaError_t cudaMallocHost(T** ptr, size_t size, unsigned int flags = 0) {
    return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}

inline cudaError_t cudaMallocHost(void** ptr, size_t size, unsigned int flags) {
    return ::cudaHostAlloc(ptr, size, flags);
}

template <class T> inline cudaError_t cudaHostAlloc(T** ptr, size_t size, unsigned int flags) {
    return ::cudaHostAlloc(reinterpret_cast<void**>(ptr), size, flags);
}

template <class T> inline cudaError_t cudaHostGetDevicePointer(T** pDevice, void* pHost, unsigned int flags) {
    return ::cudaHostGetDevicePointer(reinterpret_cast<void**>(pDevice), pHost, flags);
}

template <class T>
inline cudaError_t cudaMallocManaged(T** devPtr, size_t size, unsigned int flags = cudaMemAttachGlobal) {
    return ::cudaMallocManaged(reinterpret_cast<void**>(devPtr), size, flags);
}

template <class T> inline cudaError_t cudaMallocPitch(T** devPtr, size_t* pitch, size_t width, size_t height) {
    return ::cudaMallocPitch(reinterpret_cast<void**>(devPtr), pitch, width, height);
}

template <class T> inline cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaStream_t stream) {
    return ::cudaMallocAsync(reinterpret_cast<void**>(ptr), size, stream);
}

inline cudaError_t cudaMallocAsync(void** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(ptr, size, memPool, stream);
}

template <class T>
inline cudaError_t cudaMallocAsync(T** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}

template <class T>
inline cudaError_t cudaMallocFromPoolAsync(T** ptr, size_t size, cudaMemPool_t memPool, cudaStream_t stream) {
    return ::cudaMallocFromPoolAsync(reinterpret_cast<void**>(ptr), size, memPool, stream);
}

template <class T>
inline cudaError_t cudaMemAdvise(T* devPtr, size_t count, cudaMemoryAdvise advice, cudaMemLocation location) {
    return ::cudaMemAdvise_v2(devPtr, count, advice, location);
}

template <class T>
inline cudaError_t cudaMemPrefetchAsync(T* devPtr, size_t count, cudaMemLocation location, unsigned int flags,
                                        cudaStream_t stream = 0) {
    return ::cudaMemPrefetchAsync_v2(devPtr, count, location, flags, stream);
}

template <class T>
inline cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, T* devPtr, size_t length = 0,
                                            unsigned int flags = cudaMemAttachSingle) {
    return ::cudaStreamAttachMemAsync(stream, static_cast<void*>(devPtr), length, flags);
}

inline cudaError_t cudaEventCreate(cudaEvent_t* event, unsigned int flags) {
    return ::cudaEventCreateWithFlags(event, flags);
}

// ---- device symbols

template <class T>
inline cudaError_t cudaMemcpyToSymbol(const T& symbol, void const* src, size_t count, size_t offset = 0,
                                      cudaMemcpyKind kind = cudaMemcpyHostToDevice) {
    return ::cudaMemcpyToSymbol(static_cast<void const*>(&symbol), src, count, offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbol(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                        cudaMemcpyKind kind = cudaMemcpyDeviceToHost) {
    return ::cudaMemcpyFromSymbol(dst, static_cast<void const*>(&symbol), count, offset, kind);
}

template <class T>
inline cudaError_t cudaMemcpyToSymbolAsync(const T& symbol, void const* src, size_t count, size_t offset = 0,
                                           cudaMemcpyKind kind = cudaMemcpyHostToDevice, cudaStream_t stream = 0) {
    return ::cudaMemcpyToSymbolAsync(static_cast<void const*>(&symbol), src, count, offset, kind, stream);
}

template <class T>
inline cudaError_t cudaMemcpyFromSymbolAsync(void* dst, const T& symbol, size_t count, size_t offset = 0,
                                             cudaMemcpyKind kind = cudaMemcpyDeviceToHost, cudaStream_t stream = 0) {
    return ::cudaMemcpyFromSymbolAsync(dst, static_cast<void const*>(&symbol), count, offset, kind, stream);
}

template <class T> inline cudaError_t cudaGetSymbolAddress(void** devPtr, const T& symbol) {
    return ::cudaGetSymbolAddress(devPtr, static_cast<void const*>(&symbol));
}

template <class T> inline cudaError_t cudaGetSymbolSize(size_t* size, const T& symbol) {
    return ::cudaGetSymbolSize(size, static_cast<void const*>(&symbol));
}

// ---- kernels, named by the function

template <class T>
inline cudaError_t cudaLaunchKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                                    cudaStream_t stream = 0) {
    return ::cudaLaunchKernel(reinterpret_cast<void const*>(func), gridDim, blockDim, args, sharedMem, stream);
}

template <class T>
inline cudaError_t cudaLaunchCooperativeKernel(T* func, dim3 gridDim, dim3 blockDim, void** args, size_t sharedMem = 0,
                                               cudaStream_t stream = 0) {
    return ::cudaLaunchCooperativeKernel(reinterpret_cast<void const*>(func), gridDim, blockDim, args, sharedMem,
                                         stream);
}

template <class T> inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attr, T* func) {
    return ::cudaFuncGetAttributes(attr, reinterpret_cast<void const*>(func));
}

template <class T> inline cudaError_t cudaFuncSetAttribute(T* func, cudaFuncAttribute attr, int value) {
    return ::cudaFuncSetAttribute(reinterpret_cast<void const*>(func), attr, value);
}

template <class T> inline cudaError_t cudaFuncSetCacheConfig(T* func, cudaFuncCache cacheConfig) {
    return ::cudaFuncSetCacheConfig(reinterpret_cast<void const*>(func), cacheConfig);
}

template <class T> inline cudaError_t cudaFuncSetSharedMemConfig(T* func, cudaSharedMemConfig config) {
    return ::cudaFuncSetSharedMemConfig(reinterpret_cast<void const*>(func), config);
}

template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int* numBlocks, T func, int blockSize,
                                                                 size_t dynamicSMemSize) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, reinterpret_cast<void const*>(func), blockSize,
                                                           dynamicSMemSize);
}

template <class T>
inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* numBlocks, T func, int blockSize,
                                                                          size_t dynamicSMemSize, unsigned int flags) {
    return ::cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, reinterpret_cast<void const*>(func),
                                                                    blockSize, dynamicSMemSize, flags);
}

// The largest block of the device, and the number of blocks that run at once.
template <class SharedMemory, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(int* minGridSize, int* blockSize, T func,
                                                                           SharedMemory sharedMemoryOfBlock,
                                                                           int blockSizeLimit = 0,
                                                                           unsigned int flags = 0) {
    int threads = 0, processors = 0, blocks = 0;
    if (minGridSize == nullptr || blockSize == nullptr) return cudaErrorInvalidValue;
    cudaError_t status = ::cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerBlock, 0);
    if (status != cudaSuccess) return status;
    status = ::cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
    if (status != cudaSuccess) return status;
    if (blockSizeLimit > 0 && blockSizeLimit < threads) threads = blockSizeLimit;
    size_t const sharedMemory = sharedMemoryOfBlock(threads);
    status = cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&blocks, func, threads, sharedMemory, flags);
    if (status != cudaSuccess) return status;
    *blockSize = threads;
    *minGridSize = blocks * processors;
    return cudaSuccess;
}

template <class SharedMemory, class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeVariableSMem(int* minGridSize, int* blockSize, T func,
                                                                  SharedMemory sharedMemoryOfBlock,
                                                                  int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, sharedMemoryOfBlock,
                                                                   blockSizeLimit, cudaOccupancyDefault);
}

template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSizeWithFlags(int* minGridSize, int* blockSize, T func,
                                                               size_t dynamicSMemSize = 0, int blockSizeLimit = 0,
                                                               unsigned int flags = 0) {
    auto const constant = [dynamicSMemSize](int) { return dynamicSMemSize; };
    return cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags(minGridSize, blockSize, func, constant,
                                                                   blockSizeLimit, flags);
}

template <class T>
inline cudaError_t cudaOccupancyMaxPotentialBlockSize(int* minGridSize, int* blockSize, T func,
                                                      size_t dynamicSMemSize = 0, int blockSizeLimit = 0) {
    return cudaOccupancyMaxPotentialBlockSizeWithFlags(minGridSize, blockSize, func, dynamicSMemSize, blockSizeLimit,
                                                       cudaOccupancyDefault);
}

#endif

#endif
