// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/status.h"

struct CUfunc_st;

namespace tenon::cuda {

using CUfunction = CUfunc_st*; // the driver's name for a kernel that is loaded for one device

/// Why this machine cannot compile kernels, a clause; empty where it can.
std::string absenceOfKernelCompiler();

/// What code from compileKernels() must have been made for to be loaded here: "sm_90, CUDA 13, headers
/// 0123456789abcdef". A machine without the compiler has one too: it can load code that others compiled for it.
std::string codeKey();

/// Compiles CUDA C++ for the device that is current. The text may include our own headers that are read by kernels
/// (kernelHeaders), and nothing of the toolkit, which need not be there. Code that was compiled before, by any
/// process of the user, is read from disk.
std::string compileKernels(std::string const& source);

/// A kernel of compiled code by its name, extern "C", ready for the current device: loaded now, not in its first
/// launch, which a graph may be recording. It is there until the process ends, as our own kernels are: when the last
/// Executable that launches it ends, launches may still be queued.
CUfunction loadKernel(std::string_view code, std::string const& name);

/// How many blocks of how many threads, and in which stream.
struct Launch {
    dim3 grid;
    dim3 block;
    cudaStream_t stream;
    unsigned sharedBytes = 0; // that are asked for beside those that the kernel declares
};
void launchKernel(CUfunction kernel, Launch const& launch, void** arguments);

template <class... Args> void launchKernel(CUfunction kernel, Launch const& launch, Args const&... args) {
    void* addresses[] = {const_cast<void*>(static_cast<void const*>(&args))...};
    launchKernel(kernel, launch, static_cast<void**>(addresses));
}

struct KernelHeader {
    char const* name; // as it is included
    char const* text;
};

/// Written by the build: all src/layers/*/*_kernel_cuda.cuh, and what they include.
std::span<KernelHeader const> kernelHeaders();

} // namespace tenon::cuda
