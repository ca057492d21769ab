// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include <cuda.h>
#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

struct Refusal {
    char const* name;
    std::function<cudaError_t()> call;
    cudaError_t code;
    char const* text;
    bool sticks; // a copy or a launch, whose results the application would use
};

class HostCudaRefusal : public testing::TestWithParam<Refusal> {
protected:
    void TearDown() override { EXPECT_EQ(cudaDeviceReset(), cudaSuccess); }
};

TEST_P(HostCudaRefusal, SaysWhatWasCalledAndSticksWhereResultsAreMissing) {
    auto const& [name, call, code, text, sticks] = GetParam();
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(), code);
    std::string const said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("hostcuda: " + std::string(name)), std::string::npos) << said;
    EXPECT_NE(said.find(text), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), said.size() - 1) << said;

    EXPECT_EQ(cudaGetLastError(), code);
    cudaError_t const later = sticks ? code : cudaSuccess;
    EXPECT_EQ(cudaGetLastError(), later);
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, 4), later);
    EXPECT_EQ(cudaStreamSynchronize(nullptr), later);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
    EXPECT_EQ(cudaFree(memory), cudaSuccess);
}

cudaError_t refusedCopy() {
    cudaMemcpy3DParms box = {};
    box.dstArray = reinterpret_cast<cudaArray_t>(&box);
    return cudaMemcpy3D(&box);
}

int const kSymbol = 0;

INSTANTIATE_TEST_SUITE_P(
    All, HostCudaRefusal,
    testing::Values(Refusal{"cudaGraphKernelNodeGetParams",
                            [] { return cudaGraphKernelNodeGetParams(nullptr, nullptr); }, cudaErrorNotSupported,
                            "Leave this out of the graph", false},
                    Refusal{"cudaCreateTextureObject",
                            [] {
                                cudaTextureObject_t texture = 0;
                                return cudaCreateTextureObject(&texture, nullptr, nullptr, nullptr);
                            },
                            cudaErrorNotSupported, "Use plain or pitched memory instead", false},
                    Refusal{"cudaMallocArray",
                            [] {
                                cudaArray_t array = nullptr;
                                cudaChannelFormatDesc const channels = cudaCreateChannelDesc<float4>();
                                return cudaMallocArray(&array, &channels, 4, 4);
                            },
                            cudaErrorNotSupported, "arrays, textures and surfaces", false},
                    Refusal{"cudaMemcpy3D", refusedCopy, cudaErrorNotSupported, "arrays, textures and surfaces", true},
                    Refusal{"cudaMemcpyToSymbol", [] { return cudaMemcpyToSymbol(kSymbol, &kSymbol, 4); },
                            cudaErrorInvalidSymbol, "variables of device code do not exist on the host", true}),
    [](auto const& info) { return std::string(info.param.name); });

TEST(HostCudaNotHere, SharingWithOtherProcessesIsNotSupportedAndDoesNotStick) {
    cudaIpcMemHandle_t handle;
    void* memory = nullptr;
    EXPECT_EQ(cudaIpcGetMemHandle(&handle, &memory), cudaErrorNotSupported);
    EXPECT_EQ(cudaGetLastError(), cudaErrorNotSupported);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST(HostCudaNotHere, NoStreamIsCapturing) {
    auto status = cudaStreamCaptureStatusActive;
    unsigned long long id = 5;
    EXPECT_EQ(cudaStreamGetCaptureInfo(nullptr, &status, &id), cudaSuccess);
    EXPECT_EQ(status, cudaStreamCaptureStatusNone);
}

// ---- the driver's functions for device code

TEST(HostCudaDriver, TheOneContextIsThePrimaryOneAndCurrent) {
    CUcontext primary = nullptr;
    CUcontext current = nullptr;
    CUdevice device = -1;
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&primary, 0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&primary, 1), CUDA_ERROR_INVALID_DEVICE);
    EXPECT_EQ(cuCtxSetCurrent(primary), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxGetCurrent(&current), CUDA_SUCCESS);
    EXPECT_NE(primary, nullptr);
    EXPECT_EQ(current, primary);
    EXPECT_EQ(cuCtxGetDevice(&device), CUDA_SUCCESS);
    EXPECT_EQ(device, 0);
    EXPECT_EQ(cuCtxSynchronize(), CUDA_SUCCESS);
    EXPECT_EQ(cuCtxSetCurrent(reinterpret_cast<CUcontext>(&device)), CUDA_ERROR_INVALID_CONTEXT);
    EXPECT_EQ(cuDevicePrimaryCtxRelease(0), CUDA_SUCCESS);
    EXPECT_EQ(cuDevicePrimaryCtxRelease(1), CUDA_ERROR_INVALID_DEVICE);
}

struct LoadedCode {
    char const* name;
    std::function<CUresult()> call;
};

class HostCudaDeviceCode : public testing::TestWithParam<LoadedCode> {};

TEST_P(HostCudaDeviceCode, IsRefusedByNameAndDoesNotStick) {
    auto const& [name, call] = GetParam();
    testing::internal::CaptureStderr();
    EXPECT_EQ(call(), CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_EQ(testing::internal::GetCapturedStderr(),
              "hostcuda: " + std::string(name) +
                  ": device code cannot run on the host. Run this on a GPU, or give the "
                  "plugin code for the CPU\n");
    EXPECT_EQ(cudaGetLastError(), cudaErrorNoKernelImageForDevice);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

CUmodule noModule = nullptr;
CUlibrary noLibrary = nullptr;
CUlinkState noState = nullptr;

INSTANTIATE_TEST_SUITE_P(
    All, HostCudaDeviceCode,
    testing::Values(
        LoadedCode{"cuModuleLoad", [] { return cuModuleLoad(&noModule, "kernels.cubin"); }},
        LoadedCode{"cuModuleLoadData", [] { return cuModuleLoadData(&noModule, "ptx"); }},
        LoadedCode{"cuModuleLoadDataEx", [] { return cuModuleLoadDataEx(&noModule, "ptx", 0, nullptr, nullptr); }},
        LoadedCode{"cuModuleLoadFatBinary", [] { return cuModuleLoadFatBinary(&noModule, "fat"); }},
        LoadedCode{"cuLinkCreate_v2", [] { return cuLinkCreate(0, nullptr, nullptr, &noState); }},
        LoadedCode{"cuLibraryLoadData",
                   [] { return cuLibraryLoadData(&noLibrary, "ptx", nullptr, nullptr, 0, nullptr, nullptr, 0); }},
        LoadedCode{"cuLibraryLoadFromFile",
                   [] { return cuLibraryLoadFromFile(&noLibrary, "a", nullptr, nullptr, 0, nullptr, nullptr, 0); }}),
    [](auto const& info) { return std::string(info.param.name); });

TEST(HostCudaDriver, ALaunchSticksAndFunctionsOfModulesFindNone) {
    CUfunction function = nullptr;
    EXPECT_EQ(cuModuleGetFunction(&function, noModule, "f"), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuModuleUnload(noModule), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cuLinkDestroy(noState), CUDA_ERROR_INVALID_HANDLE);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    testing::internal::CaptureStderr();
    EXPECT_EQ(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr), CUDA_ERROR_NO_BINARY_FOR_GPU);
    EXPECT_NE(testing::internal::GetCapturedStderr().find("cuLaunchKernel: device code cannot run"), std::string::npos);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorNoKernelImageForDevice);
    EXPECT_EQ(cudaDeviceReset(), cudaSuccess);
}

} // namespace
