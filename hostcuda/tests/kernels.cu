// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// An application with a kernel, built by nvcc: everything but the launch works. Exits with 0 if all checks pass.
#include <cstdio>

__global__ void scale(float* values, int count) {
    int const index = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (index < count) values[index] *= 2.0F;
}

__managed__ int answers[4];

#define EXPECT(condition)                                                                                              \
    if (!(condition)) return std::printf("line %d: not %s\n", __LINE__, #condition)

int main() {
    float* values = nullptr;
    EXPECT(cudaMalloc(&values, 100 * sizeof(float)) == cudaSuccess);
    cudaDeviceProp properties = {};
    EXPECT(cudaGetDeviceProperties(&properties, 0) == cudaSuccess);
    EXPECT(properties.warpSize == 32 && properties.memoryPoolsSupported == 1);
    EXPECT(properties.reserved[55] == 0);
    int version = 0;
    EXPECT(cudaRuntimeGetVersion(&version) == cudaSuccess && version / 1000 == CUDART_VERSION / 1000);
    answers[3] = 7;
    EXPECT(answers[3] == 7);
    int blocks = 0;
    EXPECT(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, scale, 256, 0) == cudaSuccess && blocks == 8);
    cudaFuncAttributes attributes;
    EXPECT(cudaFuncGetAttributes(&attributes, scale) == cudaSuccess && attributes.maxThreadsPerBlock == 1024);
    EXPECT(cudaGetLastError() == cudaSuccess);

    scale<<<1, 100>>>(values, 100);
    EXPECT(cudaGetLastError() == cudaErrorNoKernelImageForDevice);
    EXPECT(cudaDeviceSynchronize() == cudaErrorNoKernelImageForDevice);
    scale<<<1, 100>>>(values, 100);
    EXPECT(cudaFree(values) == cudaErrorNoKernelImageForDevice);
    EXPECT(cudaDeviceReset() == cudaSuccess);
    EXPECT(cudaGetLastError() == cudaSuccess);
    return 0;
}
