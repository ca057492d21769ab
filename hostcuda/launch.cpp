// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0
//
// Kernels: the registration calls of a binary built by nvcc, and the launch, which is refused.
#include <cxxabi.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "allocations.h"
#include "device.h"
#include "export.h"
#include "refusal.h"

namespace hostcuda {
namespace {

// Kernels by their host functions. Never destroyed: libraries unregister as the process ends.
struct Kernels {
    struct Kernel {
        void** binary;
        std::string name;
    };
    std::mutex mutex;
    std::unordered_map<void const*, Kernel> byFunction;
};

Kernels& kernels() {
    static Kernels& instance = *new Kernels;
    return instance;
}

std::string readable(std::string const& symbol) {
    int status = 0;
    std::unique_ptr<char, decltype(&std::free)> const text(
        abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), &std::free);
    return text != nullptr ? text.get() : symbol;
}

std::string symbolOf(void const* function) {
    require(function != nullptr, cudaErrorInvalidDeviceFunction);
    std::lock_guard const lock(kernels().mutex);
    auto const found = kernels().byFunction.find(function);
    require(found != kernels().byFunction.end(), cudaErrorInvalidResourceHandle);
    return found->second.name;
}

[[noreturn]] void refuseLaunch(void const* function) {
    stick(cudaErrorNoKernelImageForDevice, "launch of kernel '" + readable(symbolOf(function)) + "'", kNoDeviceCode);
}

// Arguments that <<< >>> stores for the function that it calls.
struct Configuration {
    dim3 grid;
    dim3 block;
    size_t sharedMemory;
    cudaStream_t stream;
};
thread_local std::vector<Configuration> configurations;

int blocksAtOnce(int threads) {
    require(threads > 0);
    if (threads > kThreadsPerBlock) return 0;
    int const rounded = (threads + kWarp - 1) / kWarp * kWarp;
    return std::min(kBlocksPerProcessor, kThreadsPerProcessor / rounded);
}

} // namespace
} // namespace hostcuda

using namespace hostcuda;

// ---- functions called by nvcc's code

CUDART_HIDDEN(void**, __cudaRegisterFatBinary)(void*) { return new void*(nullptr); }

CUDART_HIDDEN(void, __cudaRegisterFatBinaryEnd)(void**) {}

CUDART_HIDDEN(void, __cudaUnregisterFatBinary)(void** binary) {
    std::lock_guard const lock(kernels().mutex);
    std::erase_if(kernels().byFunction, [binary](auto const& entry) { return entry.second.binary == binary; });
    delete binary;
}

CUDART_HIDDEN(void, __cudaRegisterFunction)
(void** binary, char const* function, char*, char const* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
    std::lock_guard const lock(kernels().mutex);
    kernels().byFunction.insert_or_assign(function, Kernels::Kernel{binary, name});
}

CUDART_HIDDEN(void, __cudaRegisterVar)(void**, char*, char*, char const*, int, size_t, int, int) {}
CUDART_HIDDEN(void, __cudaRegisterHostVar)(void**, char const*, char*, size_t) {}
CUDART_HIDDEN(void, __cudaRegisterTexture)(void**, void const*, void const**, char const*, int, int, int) {}
CUDART_HIDDEN(void, __cudaRegisterSurface)(void**, void const*, void const**, char const*, int, int) {}
CUDART_HIDDEN(void, __cudaRegisterUnifiedTable)(void**, void*) {}

// Host code reads and writes a managed variable through the pointer, before any call.
CUDART_HIDDEN(void, __cudaRegisterManagedVar)
(void**, void** variable, char*, char const*, int, size_t size, int, int) {
    callAlways([&] {
        *variable = allocations().allocate(size, Kind::managed);
        if (*variable != nullptr) std::fill_n(static_cast<char*>(*variable), size, '\0');
    });
}

CUDART_HIDDEN(char, __cudaInitModule)(void**) { return 1; }

CUDART_HIDDEN(unsigned, __cudaPushCallConfiguration)
(dim3 grid, dim3 block, size_t sharedMemory, cudaStream_t stream) {
    configurations.push_back({grid, block, sharedMemory, stream});
    return 0;
}

CUDART_HIDDEN(cudaError_t, __cudaPopCallConfiguration)
(dim3* grid, dim3* block, size_t* sharedMemory, void* stream) {
    return callAlways([&] {
        require(!configurations.empty(), cudaErrorMissingConfiguration);
        Configuration const last = configurations.back();
        configurations.pop_back();
        *grid = last.grid;
        *block = last.block;
        *sharedMemory = last.sharedMemory;
        *static_cast<cudaStream_t*>(stream) = last.stream;
    });
}

// A kernel's handle is its host function.
CUDART_HIDDEN(cudaError_t, __cudaGetKernel)(cudaKernel_t* kernel, void const* function) {
    return callAlways([&] {
        require(kernel != nullptr);
        *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
        symbolOf(function);
    });
}

CUDART_HIDDEN(cudaError_t, cudaGetKernel)(cudaKernel_t* kernel, void const* function) {
    return hostcuda___cudaGetKernel(kernel, function);
}

CUDART_HIDDEN(cudaError_t, cudaGetFuncBySymbol)(cudaFunction_t* result, void const* function) {
    return callAlways([&] {
        require(result != nullptr);
        symbolOf(function);
        *result = static_cast<cudaFunction_t>(const_cast<void*>(function));
    });
}

// ---- launches

CUDART_ON_STREAM(cudaLaunchKernel, (void const* func, dim3, dim3, void**, size_t, cudaStream_t),
                 (func, {}, {}, {}, {}, {})) {
    return call([&] { refuseLaunch(func); });
}

CUDART_ON_STREAM(cudaLaunchCooperativeKernel, (void const* func, dim3, dim3, void**, size_t, cudaStream_t),
                 (func, {}, {}, {}, {}, {})) {
    return call([&] { refuseLaunch(func); });
}

CUDART_ON_STREAM(cudaLaunchKernelExC, (cudaLaunchConfig_t const* config, void const* func, void**),
                 (config, func, {})) {
    return call([&] {
        require(config != nullptr);
        refuseLaunch(func);
    });
}

CUDART_HIDDEN(cudaError_t, __cudaLaunchKernel)(cudaKernel_t kernel, dim3, dim3, void**, size_t, cudaStream_t) {
    return call([&] { refuseLaunch(kernel); });
}

CUDART_HIDDEN(cudaError_t, __cudaLaunchKernel_ptsz)(cudaKernel_t kernel, dim3, dim3, void**, size_t, cudaStream_t) {
    return call([&] { refuseLaunch(kernel); });
}

CUDART(cudaGraphAddKernelNode)
(cudaGraphNode_t*, cudaGraph_t, cudaGraphNode_t const*, size_t, cudaKernelNodeParams const* pNodeParams) {
    return call([&] {
        require(pNodeParams != nullptr);
        refuseLaunch(pNodeParams->func);
    });
}

// ---- queries and settings of a kernel

CUDART(cudaFuncGetName)(char const** name, void const* func) {
    return call([&] {
        require(name != nullptr);
        symbolOf(func);
        std::lock_guard const lock(kernels().mutex);
        *name = kernels().byFunction.at(func).name.c_str();
    });
}

// Writes the fields that all releases have.
CUDART(cudaFuncGetAttributes)(cudaFuncAttributes* attr, void const* func) {
    return call([&] {
        require(attr != nullptr);
        symbolOf(func);
        std::memset(attr, 0, offsetof(cudaFuncAttributes, clusterDimMustBeSet));
        attr->maxThreadsPerBlock = kThreadsPerBlock;
        attr->maxDynamicSharedSizeBytes = kSharedMemoryPerBlock;
    });
}

CUDART(cudaFuncSetAttribute)(void const* func, cudaFuncAttribute, int) {
    return call([&] { symbolOf(func); });
}

CUDART(cudaFuncSetCacheConfig)(void const* func, cudaFuncCache) {
    return call([&] { symbolOf(func); });
}

CUDART(cudaFuncSetSharedMemConfig)(void const* func, cudaSharedMemConfig) {
    return call([&] { symbolOf(func); });
}

CUDART_HIDDEN(cudaError_t, cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags)
(int* numBlocks, void const* func, int blockSize, size_t, unsigned int) {
    return call([&] {
        require(numBlocks != nullptr);
        symbolOf(func);
        *numBlocks = blocksAtOnce(blockSize);
    });
}

CUDART(cudaOccupancyMaxActiveBlocksPerMultiprocessor)
(int* numBlocks, void const* func, int blockSize, size_t dynamicSMemSize) {
    return hostcuda_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks, func, blockSize, dynamicSMemSize,
                                                                           cudaOccupancyDefault);
}

CUDART(cudaOccupancyAvailableDynamicSMemPerBlock)
(size_t* dynamicSmemSize, void const* func, int numBlocks, int blockSize) {
    return call([&] {
        require(dynamicSmemSize != nullptr && numBlocks > 0 && blockSize > 0);
        symbolOf(func);
        *dynamicSmemSize = static_cast<size_t>(kSharedMemoryPerBlock / numBlocks);
    });
}
