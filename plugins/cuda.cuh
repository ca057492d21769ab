// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Common parts of the plugins' kernels: elements of floating point types as float, and a thread for each of many steps.
// Functions that the CPU uses too are constexpr: kernels may call these.
#pragma once

#include "plugin.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime_api.h>

#include <algorithm>
#include <stdexcept>
#include <string>

namespace tenon::plugins {

__device__ inline float toFloat(float value) { return value; }
__device__ inline float toFloat(__half value) { return __half2float(value); }
__device__ inline float toFloat(__nv_bfloat16 value) { return __bfloat162float(value); }

/// Rounded to the nearest.
template <class T> __device__ T fromFloat(float value) {
    if constexpr (std::is_same_v<T, __half>)
        return __float2half_rn(value);
    else if constexpr (std::is_same_v<T, __nv_bfloat16>)
        return __float2bfloat16_rn(value);
    else
        return value;
}

/// The value of an element of a kReal tensor, which may also be INT8.
/// \param scale that of an INT8 tensor
template <class T> __device__ float toReal(T value, float scale) {
    if constexpr (std::is_same_v<T, int8_t>)
        return float(value) * scale;
    else
        return toFloat(value);
}

/// The inverse: rounded to the nearest, saturated; NaN becomes 0.
template <class T> __device__ T fromReal(float value, float scale) {
    if constexpr (std::is_same_v<T, int8_t>) {
        float const quotient = value / scale;
        return quotient == quotient ? T(__float2int_rn(fminf(fmaxf(quotient, -128), 127))) : T(0);
    } else {
        return fromFloat<T>(value);
    }
}

/// `count` elements that are loaded and stored with one instruction.
template <class T, int count> struct alignas(sizeof(T) * count) Pack { T at[count]; };

/// Whether rows of `length` elements, contiguous from `data` on, can be read in packs of this size.
template <class T, int count> bool fitsPacks(void const* data, int64_t length) {
    return length % count == 0 && reinterpret_cast<uintptr_t>(data) % sizeof(Pack<T, count>) == 0;
}

/// Calls body(T()) with the type of a kReal tensor's elements.
template <class Body> void dispatchReal(nvinfer1::DataType type, Body const& body) {
    if (type == nvinfer1::DataType::kHALF) return body(__half());
    if (type == nvinfer1::DataType::kBF16) return body(__nv_bfloat16());
    body(float());
}

/// The same if they may also be INT8: with int8_t for these.
template <class Body> void dispatchRealOrInt8(nvinfer1::DataType type, Body const& body) {
    if (type == nvinfer1::DataType::kINT8) return body(int8_t());
    dispatchReal(type, body);
}

/// Threads of a warp.
inline constexpr int kWarp = 32;

/// Threads of a block in which each works independently.
inline constexpr int kThreads = 256;

/// Blocks with a thread for each of `count` steps, up to the limit of a grid; see forEach().
inline unsigned blocksFor(int64_t count, int64_t perBlock = kThreads) {
    constexpr int64_t kMost = int64_t{1} << 30;
    return unsigned(std::min((count + perBlock - 1) / perBlock, kMost));
}

/// for (each i < count of this thread) body(i)
template <class Body> __device__ void forEach(int64_t count, Body const& body) {
    int64_t const step = int64_t{blockDim.x} * gridDim.x;
    for (int64_t i = int64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) body(i);
}

template <class Body> __global__ void forEachKernel(int64_t count, __grid_constant__ Body const body) {
    forEach(count, body);
}

/// Throws if the previous call or launch failed.
inline void checkCuda(cudaError_t status) {
    if (status != cudaSuccess) throw std::runtime_error(std::string("CUDA error: ") + cudaGetErrorString(status));
}
inline void checkLaunch() { checkCuda(cudaGetLastError()); }

/// Enqueues a memset on the stream, by default to zero.
inline void fillBytes(void* data, size_t bytes, cudaStream_t stream, int value = 0) {
    if (bytes > 0) checkCuda(cudaMemsetAsync(data, value, bytes, stream));
}

/// Enqueues body(i) for each i < count on the stream; `body` is copied to the GPU.
template <class Body> void launchForEach(int64_t count, cudaStream_t stream, Body const& body) {
    if (count == 0) return; // a grid has at least one block
    forEachKernel<<<blocksFor(count), kThreads, 0, stream>>>(count, body);
    checkLaunch();
}

} // namespace tenon::plugins
