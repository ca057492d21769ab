// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/status.h"

struct CUfunc_st;

namespace tenon::cuda {

using CUfunction = CUfunc_st*; // the driver's name for a kernel that is loaded for one device

/// Why this machine cannot compile kernels, a clause; empty if it can.
std::string absenceOfKernelCompiler();

/// The key that code from compileKernels() must match to be loaded here: "sm_90, CUDA 13, headers 0123456789abcdef". A
/// machine without the compiler has one too: it can load code that others compiled for it.
std::string codeKey();

/// Compiles CUDA C++ for the current device. The text may include Tenon's headers for kernels (kernelHeaders), and none
/// of the toolkit, which need not be installed. Code that any process of the user has compiled before is read from the
/// disk cache.
std::string compileKernels(std::string const& source);

/// A kernel of compiled code by its name, extern "C", loaded for the current device: now rather than in its first
/// launch, which a graph may be recording. It is never unloaded: when the last Executable that launches it is
/// destroyed, launches may still be queued.
CUfunction loadKernel(std::string_view code, std::string const& name);

/// How many blocks of how many threads, and in which stream.
struct Launch {
    dim3 grid;
    dim3 block;
    cudaStream_t stream;
    unsigned sharedBytes = 0; // dynamic, in addition to the kernel's static shared memory
};
void launchKernel(CUfunction kernel, Launch const& launch, void** arguments);

template <class... Args> void launchKernel(CUfunction kernel, Launch const& launch, Args const&... args) {
    void* addresses[] = {const_cast<void*>(static_cast<void const*>(&args))...};
    launchKernel(kernel, launch, static_cast<void**>(addresses));
}

struct KernelHeader {
    char const* name; // as written in #include
    char const* text;
};

/// Written by the build: all src/layers/*/*_kernel_cuda.cuh, and what they include.
std::span<KernelHeader const> kernelHeaders();

} // namespace tenon::cuda
