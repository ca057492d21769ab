// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
#include <functional>
#include <string>

#include <cuda_runtime.h>
#include <gtest/gtest.h>

namespace {

struct Refusal {
    char const* name;
    std::function<cudaError_t()> call;
    cudaError_t code;
    char const* text;
    bool sticks; // a copy or a launch, of which the program would use the results
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

} // namespace
