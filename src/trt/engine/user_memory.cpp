// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/engine/user_memory.h"

#include "backends/streams.h"
#include "base/error.h"

namespace tenon::trt {
namespace {

/// Freeing memory cannot report errors. An error in a stream is reported when the stream is waited for.
template <class Body> void ignoringErrors(Body&& body) noexcept {
    try {
        body();
    } catch (...) {
    }
}

} // namespace

Context::MemorySource memoryFrom(nvinfer1::IGpuAllocator* allocator, Backend const& backend) {
    if (allocator == nullptr || !backend.takesProgramMemory()) return {};
    // An asynchronous allocator orders its memory after a stream, and a context runs in any: all of them are waited
    // for, as cudaMalloc and cudaFree do. Memory is requested once per context, and for a larger shape.
    auto const finishAll = [streams = backend.streams()] {
        if (streams) streams->finishAll();
    };
    return [allocator, finishAll, alignment = backend.alignment()](size_t bytes) -> std::shared_ptr<void> {
        if (bytes == 0) return {};
        void* const memory = allocator->allocateAsync(bytes, alignment, 0, nullptr);
        if (memory == nullptr)
            fail(ErrorCode::Memory, "the application's IGpuAllocator returned no memory for a request of ", bytes,
                 " bytes of activations and workspaces");
        std::shared_ptr<void> owned(memory, [allocator, finishAll](void* m) {
            ignoringErrors(finishAll);
            ignoringErrors([&] { allocator->deallocateAsync(m, nullptr); });
        });
        finishAll();
        if (reinterpret_cast<uintptr_t>(memory) % alignment != 0)
            fail(ErrorCode::Memory, "the application's IGpuAllocator returned memory that is not aligned to ",
                 alignment, " bytes, as requested");
        return owned;
    };
}

} // namespace tenon::trt
