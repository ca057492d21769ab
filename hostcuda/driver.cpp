// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's queries: the runtime's answers, with the same numbers.
#include <cuda.h>

#include <algorithm>
#include <cstring>
#include <iterator>
#include <utility>

#include "driver.h"

using namespace hostcuda;

CUDRIVER(cuInit)(unsigned int flags) { return flags == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE; }

CUDRIVER(cuDriverGetVersion)(int* driverVersion) { return resultOf(cudaDriverGetVersion(driverVersion)); }

CUDRIVER(cuGetErrorName)(CUresult error, char const** pStr) {
#define HOSTCUDA_NAME(name, value) {name, #name},
    static constexpr std::pair<CUresult, char const*> kNames[] = {HOSTCUDA_DRIVER_ERRORS(HOSTCUDA_NAME)};
    if (pStr == nullptr) return CUDA_ERROR_INVALID_VALUE;
    auto const* const found = std::ranges::find(kNames, error, &std::pair<CUresult, char const*>::first);
    *pStr = found == std::end(kNames) ? nullptr : found->second;
    return *pStr != nullptr ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUDRIVER(cuGetErrorString)(CUresult error, char const** pStr) {
    CUresult const known = hostcuda_cuGetErrorName(error, pStr);
    if (known == CUDA_SUCCESS) *pStr = cudaGetErrorString(static_cast<cudaError_t>(error));
    return known;
}

CUDRIVER(cuDeviceGetCount)(int* count) { return resultOf(cudaGetDeviceCount(count)); }

CUDRIVER(cuDeviceGet)(CUdevice* device, int ordinal) {
    if (device == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *device = ordinal;
    return ordinal == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUDRIVER(cuDeviceGetName)(char* name, int len, CUdevice dev) {
    cudaDeviceProp properties;
    if (name == nullptr || len < 1) return CUDA_ERROR_INVALID_VALUE;
    CUresult const found = resultOf(cudaGetDeviceProperties(&properties, dev));
    if (found != CUDA_SUCCESS) return found;
    std::strncpy(name, properties.name, static_cast<size_t>(len));
    name[len - 1] = '\0';
    return CUDA_SUCCESS;
}

CUDRIVER(cuDeviceTotalMem_v2)(size_t* bytes, CUdevice dev) {
    cudaDeviceProp properties;
    CUresult const found = resultOf(cudaGetDeviceProperties(&properties, dev));
    if (bytes != nullptr) *bytes = found == CUDA_SUCCESS ? properties.totalGlobalMem : 0;
    return bytes == nullptr ? CUDA_ERROR_INVALID_VALUE : found;
}

CUDRIVER(cuDeviceGetAttribute)(int* pi, CUdevice_attribute attrib, CUdevice dev) {
    return resultOf(cudaDeviceGetAttribute(pi, static_cast<cudaDeviceAttr>(attrib), dev));
}
