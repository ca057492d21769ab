// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Prints the release of the runtime, and fails if it writes beyond the structure of that release.
#include <cstdio>
#include <cstring>

#include <cuda_runtime_api.h>

#undef cudaGetDeviceProperties
extern "C" cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device);

int main() {
    int version = 0;
    cudaRuntimeGetVersion(&version);
    cudaDeviceProp properties;
    std::memset(&properties, 0x5a, sizeof(properties));
    cudaGetDeviceProperties(&properties, 0); // without _v2 the structure of CUDA 11
    if (properties.warpSize != 32 || properties.maxBlocksPerMultiProcessor != 32) return 1;
    if (properties.hostRegisterSupported != 0x5a5a5a5a) return 2;
    std::printf("%d\n", version);
    return 0;
}
