// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <thread>

#include <sys/sysinfo.h>

#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

int attribute(cudaDeviceAttr attr) {
    int value = -1;
    EXPECT_EQ(cudaDeviceGetAttribute(&value, attr, 0), cudaSuccess) << attr;
    return value;
}

TEST(HostCudaDevice, ItIsTheHost) {
    cudaDeviceProp properties;
    std::memset(&properties, 0x5a, sizeof(properties));
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    struct sysinfo system = {};
    ASSERT_EQ(sysinfo(&system), 0);
    EXPECT_GT(std::strlen(properties.name), 0u);
    EXPECT_LE(properties.totalGlobalMem, size_t{system.totalram} * system.mem_unit);
    EXPECT_GT(properties.totalGlobalMem, 0u);
    EXPECT_EQ(properties.multiProcessorCount, static_cast<int>(std::thread::hardware_concurrency()));
    EXPECT_GT(properties.clockRate, 100000); // kHz
    EXPECT_EQ(properties.integrated, 1);
    EXPECT_EQ(properties.unifiedFunctionPointers, 0); // all of the structure is written
    EXPECT_EQ(properties.reserved[59], 0);
}

TEST(HostCudaDevice, PropertiesAndAttributesAgree) {
    cudaDeviceProp properties;
    ASSERT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_EQ(attribute(cudaDevAttrComputeCapabilityMajor), properties.major);
    EXPECT_EQ(attribute(cudaDevAttrMultiProcessorCount), properties.multiProcessorCount);
    EXPECT_EQ(attribute(cudaDevAttrClockRate), properties.clockRate);
    EXPECT_EQ(attribute(cudaDevAttrMaxBlockDimZ), properties.maxThreadsDim[2]);
    EXPECT_EQ(attribute(cudaDevAttrMaxSharedMemoryPerBlock), static_cast<int>(properties.sharedMemPerBlock));
    EXPECT_EQ(attribute(cudaDevAttrMemoryPoolsSupported), properties.memoryPoolsSupported);
}

TEST(HostCudaDevice, VersionsAreThoseOfTheHeaders) {
    int runtime = 0, driver = 0;
    ASSERT_EQ(cudaRuntimeGetVersion(&runtime), cudaSuccess);
    ASSERT_EQ(cudaDriverGetVersion(&driver), cudaSuccess);
    EXPECT_EQ(runtime, CUDART_VERSION);
    EXPECT_GE(driver, runtime); // an older driver could not run this runtime
}

TEST(HostCudaDevice, EachThreadHasALastErrorOfItsOwn) {
    EXPECT_EQ(cudaSetDevice(3), cudaErrorInvalidDevice);
    cudaError_t theirs = cudaErrorUnknown;
    std::thread([&] { theirs = cudaGetLastError(); }).join();
    EXPECT_EQ(theirs, cudaSuccess);
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(HostCudaDevice, ErrorsHaveNamesAndWords) {
    EXPECT_STREQ(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation");
    EXPECT_STREQ(cudaGetErrorString(cudaErrorMemoryAllocation), "out of memory");
    EXPECT_STREQ(cudaGetErrorName(static_cast<cudaError_t>(54321)), "unrecognized error code");
}

TEST(HostCudaDevice, AProfilerMayBeAskedFor) {
    EXPECT_EQ(cudaProfilerStart(), cudaSuccess);
    EXPECT_EQ(cudaProfilerStop(), cudaSuccess);
}

void notAKernel() {}

TEST(HostCudaDevice, AFunctionThatIsNoKernelIsNotLaunched) {
    int blocks = 0;
    EXPECT_NE(cudaLaunchKernel(notAKernel, dim3(1), dim3(1), nullptr), cudaSuccess);
    EXPECT_NE(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, notAKernel, 32, 0), cudaSuccess);
    cudaGetLastError();
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(HostCudaDriver, AnswersWhatProgramsAskItAsTheRuntimeDoes) {
    char const* text = nullptr;
    EXPECT_EQ(cuGetErrorName(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
    EXPECT_STREQ(text, "CUDA_ERROR_OUT_OF_MEMORY");
    EXPECT_EQ(cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text), CUDA_SUCCESS);
    EXPECT_STREQ(text, cudaGetErrorString(cudaErrorMemoryAllocation));
    EXPECT_EQ(cuGetErrorName(static_cast<CUresult>(12345), &text), CUDA_ERROR_INVALID_VALUE);
    EXPECT_EQ(text, nullptr);
    int driver = 0, runtime = 0, count = 0, major = 0;
    EXPECT_EQ(cuInit(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDriverGetVersion(&driver), CUDA_SUCCESS);
    EXPECT_EQ(cudaDriverGetVersion(&runtime), cudaSuccess);
    EXPECT_EQ(driver, runtime);
    CUdevice device = -1;
    EXPECT_EQ(cuDeviceGetCount(&count), CUDA_SUCCESS);
    EXPECT_EQ(count, 1);
    EXPECT_EQ(cuDeviceGet(&device, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDeviceGet(&device, 1), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0), CUDA_SUCCESS);
    EXPECT_EQ(major, 8);
    cudaDeviceProp properties;
    size_t bytes = 0;
    char name[256];
    EXPECT_EQ(cudaGetDeviceProperties(&properties, 0), cudaSuccess);
    EXPECT_EQ(cuDeviceTotalMem(&bytes, 0), CUDA_SUCCESS);
    EXPECT_EQ(bytes, properties.totalGlobalMem);
    EXPECT_EQ(cuDeviceGetName(name, sizeof(name), 0), CUDA_SUCCESS);
    EXPECT_STREQ(name, properties.name);
}

} // namespace
