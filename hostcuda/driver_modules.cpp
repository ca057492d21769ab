// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// The driver's contexts and modules: one context, and no device code.
#include <cuda.h>

#include "driver.h"
#include "refusal.h"

using namespace hostcuda;

namespace {

// Only its address is used.
char primary;

CUcontext primaryContext() { return reinterpret_cast<CUcontext>(&primary); }

} // namespace

// ---- the one context: it always exists and is always current

CUDRIVER(cuDevicePrimaryCtxRetain)(CUcontext* pctx, CUdevice dev) {
    if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    if (dev != 0) return CUDA_ERROR_INVALID_DEVICE;
    *pctx = primaryContext();
    return CUDA_SUCCESS;
}

CUDRIVER(cuDevicePrimaryCtxRelease_v2)(CUdevice dev) { return dev == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE; }

CUDRIVER(cuCtxGetCurrent)(CUcontext* pctx) {
    if (pctx == nullptr) return CUDA_ERROR_INVALID_VALUE;
    *pctx = primaryContext();
    return CUDA_SUCCESS;
}

CUDRIVER(cuCtxSetCurrent)(CUcontext ctx) {
    return ctx == nullptr || ctx == primaryContext() ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUDRIVER(cuCtxGetDevice)(CUdevice* device) { return resultOf(cudaGetDevice(device)); }

CUDRIVER(cuCtxSynchronize)() { return resultOf(cudaDeviceSynchronize()); }

// ---- device code
//
// The parameters are ignored, and so not declared: C's calling convention allows that.

#define HOSTCUDA_REFUSED_CODE(name, refuse)                                                                            \
    CUDART_HIDDEN(CUresult, name)() {                                                                                  \
        return resultOf(call([] { refuse(cudaErrorNoKernelImageForDevice, #name, kNoDeviceCode); }));                  \
    }
#define HOSTCUDA_NO_MODULE(name)                                                                                       \
    CUDART_HIDDEN(CUresult, name)() {                                                                                  \
        return resultOf(call([] { throw Failure{cudaErrorInvalidResourceHandle}; }));                                  \
    }
// clang-format off
HOSTCUDA_REFUSED_CODE(cuModuleLoad, refuse) HOSTCUDA_REFUSED_CODE(cuModuleLoadData, refuse)
HOSTCUDA_REFUSED_CODE(cuModuleLoadDataEx, refuse) HOSTCUDA_REFUSED_CODE(cuModuleLoadFatBinary, refuse)
HOSTCUDA_REFUSED_CODE(cuLinkCreate_v2, refuse) HOSTCUDA_REFUSED_CODE(cuLibraryLoadData, refuse)
HOSTCUDA_REFUSED_CODE(cuLibraryLoadFromFile, refuse)
HOSTCUDA_REFUSED_CODE(cuLaunchKernel, stick) HOSTCUDA_REFUSED_CODE(cuLaunchCooperativeKernel, stick)

HOSTCUDA_NO_MODULE(cuModuleUnload) HOSTCUDA_NO_MODULE(cuModuleGetFunction) HOSTCUDA_NO_MODULE(cuModuleGetGlobal_v2)
HOSTCUDA_NO_MODULE(cuLinkAddData_v2) HOSTCUDA_NO_MODULE(cuLinkAddFile_v2) HOSTCUDA_NO_MODULE(cuLinkComplete)
HOSTCUDA_NO_MODULE(cuLinkDestroy) HOSTCUDA_NO_MODULE(cuLibraryUnload) HOSTCUDA_NO_MODULE(cuLibraryGetKernel)
HOSTCUDA_NO_MODULE(cuLibraryGetModule) HOSTCUDA_NO_MODULE(cuKernelGetFunction) HOSTCUDA_NO_MODULE(cuFuncGetAttribute)
HOSTCUDA_NO_MODULE(cuFuncSetAttribute) HOSTCUDA_NO_MODULE(cuFuncSetCacheConfig)
HOSTCUDA_NO_MODULE(cuOccupancyMaxActiveBlocksPerMultiprocessor)
    // clang-format on
