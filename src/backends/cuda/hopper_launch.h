// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/status.h"

#include <array>

namespace tenon::cuda {

/// The code for Hopper runs on compute capability 9.0 alone: for other GPUs the driver compiles that for 8.0, which
/// knows nothing of clusters and of kernels that begin early.
inline bool isHopper() { return properties().major == 9 && properties().minor == 0; }

#ifdef __CUDACC__

// Kernels that begin early (programmatic dependent launch). Where a kernel is launched with `beginsEarly`, its blocks
// may be there before the kernel in front of it on the stream has ended, so that launches and what blocks do first take
// no time of their own.
//
// Such a kernel calls awaitEarlierKernels() in each thread before it reads or writes global memory: it returns when the
// kernel in front has ended and what that wrote can be seen. Only what a kernel is launched with may be used before.
// What it reads is not declared const and __restrict__: the compiler would be free to read it before it waits.
//
// It may call letNextKernelBegin(): when all blocks have done so, or ended, the next one's blocks come as room is
// there. One that does must wait itself, too: the next kernel waits for this one only, for those before it by way of
// it.
//
// A kernel that does neither may stand in front of such a one and behind it.

__device__ __forceinline__ void awaitEarlierKernels() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

__device__ __forceinline__ void letNextKernelBegin() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/// A launch that says more than <<<>>> can.
struct Launch {
    dim3 blocks;
    dim3 threads; // of a block
    cudaStream_t stream = nullptr;
    unsigned sharedBytes = 0;
    unsigned cluster = 1;     // blocks side by side that make one
    bool beginsEarly = false; // see above; only where isHopper()

    template <class... Parameters, class... Arguments>
    void operator()(char const* what, void (*kernel)(Parameters...), Arguments const&... arguments) const {
        std::array<cudaLaunchAttribute, 2> attributes{};
        unsigned count = 0;
        if (cluster != 1) {
            attributes[count].id = cudaLaunchAttributeClusterDimension;
            attributes[count++].val.clusterDim = {cluster, 1, 1};
        }
        if (beginsEarly) {
            attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
            attributes[count++].val.programmaticStreamSerializationAllowed = 1;
        }
        cudaLaunchConfig_t const config{.gridDim = blocks,
                                        .blockDim = threads,
                                        .dynamicSmemBytes = sharedBytes,
                                        .stream = stream,
                                        .attrs = attributes.data(),
                                        .numAttrs = count};
        check(cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...), what);
    }
};

#endif

} // namespace tenon::cuda
