// Copyright 2026 The Tenon Authors
// SPDX-License-Identifier: Apache-2.0

#include "trt/user_memory.h"

#include "base/error.h"

namespace tenon::trt {

Context::MemorySource memoryFrom(nvinfer1::IGpuAllocator* allocator, Backend const& backend) {
    if (allocator == nullptr) return {};
    return [allocator, alignment = backend.alignment()](size_t bytes) -> std::shared_ptr<void> {
        if (bytes == 0) return {};
        void* const memory = allocator->allocateAsync(bytes, alignment, 0, nullptr);
        if (memory == nullptr)
            fail(ErrorCode::Memory, "the program's IGpuAllocator gave no memory when asked for ", bytes,
                 " bytes of activations and workspaces");
        std::shared_ptr<void> owned(memory, [allocator](void* m) { allocator->deallocateAsync(m, nullptr); });
        if (reinterpret_cast<uintptr_t>(memory) % alignment != 0)
            fail(ErrorCode::Memory, "the program's IGpuAllocator gave memory that is not aligned to ", alignment,
                 " bytes, as it was asked to");
        return owned;
    };
}

} // namespace tenon::trt
