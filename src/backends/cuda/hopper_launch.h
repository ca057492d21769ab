// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#pragma once

#include "backends/cuda/cuda_backend.h"
#include "backends/cuda/status.h"

#include <array>

namespace tenon::cuda {

/// The code for Hopper runs on compute capability 9.0 alone: for other GPUs the driver compiles the code for 8.0, which
/// uses neither clusters nor kernels that start early.
inline bool isHopper() { return properties().major == 9 && properties().minor == 0; }

#ifdef __CUDACC__

// Kernels that start early (programmatic dependent launch). The blocks of a kernel that is launched with `beginsEarly`
// may start before the previous kernel on the stream has ended, so that launches and the first instructions of blocks
// take no time of their own.
//
// Such a kernel calls awaitEarlierKernels() in each thread before it reads or writes global memory: it returns when the
// previous kernel has ended and its writes are visible. Only launch arguments may be used before. Its inputs are not
// declared const and __restrict__: the compiler would be free to read them before the wait.
//
// It may call letNextKernelBegin(): when all blocks have done so, or ended, the next one's blocks start as resources
// allow. A kernel that calls it must also wait: the next kernel waits for this one only, and through it for earlier
// ones.
//
// A kernel that does neither may precede or follow such a kernel.

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

/// A launch with options that <<<>>> does not have.
struct Launch {
    dim3 blocks;
    dim3 threads; // of a block
    cudaStream_t stream = nullptr;
    unsigned sharedBytes = 0;
    unsigned cluster = 1;     // adjacent blocks that form one
    bool beginsEarly = false; // see above; only if isHopper()

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
