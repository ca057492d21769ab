// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "backends/cuda/machine.h"

#include <cuda_runtime_api.h>

namespace tenon::cuda {
namespace {

static_assert(static_cast<int>(Status::InsufficientDriver) == cudaErrorInsufficientDriver);
static_assert(static_cast<int>(Status::InvalidDeviceFunction) == cudaErrorInvalidDeviceFunction);
static_assert(static_cast<int>(Status::NoDevice) == cudaErrorNoDevice);
static_assert(static_cast<int>(Status::InvalidDevice) == cudaErrorInvalidDevice);
static_assert(static_cast<int>(Status::NoKernelImage) == cudaErrorNoKernelImageForDevice);
static_assert(static_cast<int>(Status::JitNotFound) == cudaErrorJitCompilerNotFound);
static_assert(static_cast<int>(Status::UnsupportedPtx) == cudaErrorUnsupportedPtxVersion);
static_assert(static_cast<int>(Status::JitDisabled) == cudaErrorJitCompilationDisabled);
static_assert(static_cast<int>(Status::DriverMismatch) == cudaErrorSystemDriverMismatch);
static_assert(static_cast<int>(Status::CompatibilityUnsupported) == cudaErrorCompatNotSupportedOnDevice);

int capabilityOf(int index) {
    int major = 0;
    int minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, index);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, index);
    return major * 10 + minor;
}

Gpu findGpu(int index) {
    cudaDeviceProp properties{};
    cudaGetDeviceProperties(&properties, index);
    return {index, properties.name, capabilityOf(index)};
}

} // namespace

Machine findMachine() {
    Machine machine;
    machine.runtime = CUDART_VERSION;
    int count = 0;
    cudaDriverGetVersion(&machine.driver);
    cudaGetDeviceCount(&count);
    for (int i = 0; i < count; ++i) { // reading a name takes long
        int const capability = capabilityOf(i);
        machine.gpus.push_back(capability < kOldestCapability ? findGpu(i) : Gpu{i, "", capability});
    }
    cudaGetLastError();
    return machine;
}

std::string adviceHere(int status) {
    int current = 0;
    cudaGetDevice(&current);
    std::string advice = adviceOn(static_cast<Status>(status), findMachine(), findGpu(current));
    cudaGetLastError();
    return advice;
}

} // namespace tenon::cuda
